/* joints.c - the table of joints and force elements. A new type: its file, its line here and in CMakeLists.txt. */
#include "engine/ext.h"

extern const sal_type sal_joint_angle, sal_joint_formula, sal_joint_revolute, sal_joint_distance, sal_joint_spring;

extern const sal_type *const sal_joint_types[];
const sal_type *const        sal_joint_types[] = { &sal_joint_angle, &sal_joint_formula, &sal_joint_revolute, &sal_joint_distance, &sal_joint_spring, NULL };
