/* joints.c - the table of joints and force elements. A new type: its file, its line here and in CMakeLists.txt. */
#include "engine/ext.h"

extern const sal_type sal_joint_angle;
extern const sal_type sal_joint_belt;
extern const sal_type sal_joint_bushing;
extern const sal_type sal_joint_curve;
extern const sal_type sal_joint_distance;
extern const sal_type sal_joint_drag;
extern const sal_type sal_joint_driver;
extern const sal_type sal_joint_force;
extern const sal_type sal_joint_formula;
extern const sal_type sal_joint_gear;
extern const sal_type sal_joint_prismatic;
extern const sal_type sal_joint_rack;
extern const sal_type sal_joint_revolute;
extern const sal_type sal_joint_rolling;
extern const sal_type sal_joint_slot;
extern const sal_type sal_joint_spring;
extern const sal_type sal_joint_torque;
extern const sal_type sal_joint_torsion;
extern const sal_type sal_joint_weld;

extern const sal_type *const sal_joint_types[];
const sal_type *const        sal_joint_types[] = {
           &sal_joint_angle,     &sal_joint_belt,   &sal_joint_bushing,  &sal_joint_curve,   &sal_joint_distance,
           &sal_joint_drag,      &sal_joint_driver, &sal_joint_force,    &sal_joint_formula, &sal_joint_gear,
           &sal_joint_prismatic, &sal_joint_rack,   &sal_joint_revolute, &sal_joint_rolling, &sal_joint_slot,
           &sal_joint_spring,    &sal_joint_torque, &sal_joint_torsion,  &sal_joint_weld,    NULL,
};
