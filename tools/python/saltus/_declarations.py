"""Constants, structs and functions of the C library. Made by tools/python/declare.py from saltus.h: do not edit."""
from ctypes import (CFUNCTYPE, Structure, c_bool, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p)

VERSION = "0.1.0"
SAL_OK = 0
SAL_EVENT = 1
SAL_END = 2
SAL_STOPPED = 3
SAL_ERR_MEMORY = -1
SAL_ERR_ARGUMENT = -2
SAL_ERR_FILE = -3
SAL_ERR_SCENE = -4
SAL_ERR_ASSEMBLY = -5
SAL_ERR_SINGULAR = -6
SAL_ERR_STEP = -7
SAL_ERR_EVENTS = -8
SAL_ERR_NUMBER = -9
SAL_ERR_CYCLE = -10
SAL_ERR_EQUILIBRIUM = -11
SAL_ERR_LIMIT = -12
SAL_ERR_INVARIANT = -13
SAL_DRAW_POINTS = 0
SAL_DRAW_LINE = 1
SAL_DRAW_ROPE = 2
SAL_DRAW_BODY = 3
SAL_DRAW_MASS = 4
SAL_DRAW_DISC = 5
SAL_DRAW_GEAR = 6
SAL_DRAW_RACK = 7
SAL_DRAW_SPRING = 8
SAL_DRAW_DAMPER = 9
SAL_DRAW_TORSION = 10
SAL_DRAW_PIN = 11
SAL_DRAW_WELD = 12
SAL_DRAW_SLIDER = 13
SAL_DRAW_LIMIT = 14
SAL_DRAW_ANGLE = 15
SAL_DRAW_FORCE = 16
SAL_DRAW_TORQUE = 17
SAL_DRAW_MOTOR = 18
SAL_DRAW_GROUND = 19
SAL_DRAW_CURVE = 20
SAL_DRAW_EDGE = 21
SAL_DRAW_CONTACT = 22
SAL_INDEX1 = 0
SAL_PENALTY = 1
SAL_INDEX3 = 2
SAL_PROJECTION = 0
SAL_BAUMGARTE = 1
SAL_NO_STABILIZATION = 2
SAL_RK8 = 0
SAL_RK5 = 1
SAL_RADAU = 2
SAL_AUTO = 3
SAL_PEAK_START = 0
SAL_PEAK_INSIDE = 1
SAL_PEAK_BEFORE_EVENT = 2
SAL_PEAK_AFTER_EVENT = 3
SAL_PEAK_END = 4
SAL_HEALTH_PULL = 0
SAL_HEALTH_CONE = 1
SAL_HEALTH_DRIVE = 2
SAL_HEALTH_GAP = 3
SAL_HEALTH_PHI = 4
SAL_HEALTH_PHIDOT = 5
SAL_HEALTH_IMPULSE = 6
SAL_HEALTH_PUSH = 7
SAL_HEALTH_GAIN = 8
SAL_HEALTH_WORK = 9
SAL_HEALTH_KINDS = 10
SAL_GOOD = 0
SAL_DOUBTFUL = 1
SAL_BAD = 2
SAL_NO_BIFURCATION = 0
SAL_FOLD = 1
SAL_CROSS = 2
SAL_FLIP = 3
SAL_TORUS = 4
SAL_MODE_OSCILLATES = 0
SAL_MODE_CREEPS = 1
SAL_MODE_ZERO = 2
SAL_MODE_DIVERGES = 3
SAL_STUDY_RUN = 0
SAL_STUDY_CYCLE = 1
SAL_STUDY_EQUILIBRIUM = 2
SAL_GRADIENTS_CHEAPER = 0
SAL_GRADIENTS_FORWARD = 1
SAL_GRADIENTS_ADJOINT = 2

sal_writer = CFUNCTYPE(None, c_void_p, c_char_p)

sal_verify_report = CFUNCTYPE(None, c_void_p, c_void_p)

sal_cycle_report = CFUNCTYPE(None, c_void_p, c_void_p)

sal_sweep_report = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class sal_context_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("allocate", CFUNCTYPE(c_void_p, c_void_p, c_size_t)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("log", CFUNCTYPE(None, c_void_p, c_char_p)),
        ("user", c_void_p),
    ]


class sal_diagnostic(Structure):
    _fields_ = [
        ("file", c_char_p),
        ("line", c_int),
        ("column", c_int),
        ("path", c_char_p),
        ("text", c_char_p),
    ]


class sal_model_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("points", c_int),
        ("bodies", c_int),
        ("joints", c_int),
        ("contacts", c_int),
        ("coordinates", c_int),
        ("constraints", c_int),
        ("parameters", c_int),
        ("events", c_int),
        ("outputs", c_int),
        ("reactions", c_int),
        ("costs", c_int),
        ("memory", c_int),
        ("touches", c_int),
    ]


class sal_vector_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("first", c_int),
        ("knots", c_int),
        ("from", c_double),
        ("to", c_double),
        ("start", c_void_p),
    ]


class sal_search(Structure):
    _fields_ = [
        ("minimize", c_char_p),
        ("maximize", c_char_p),
        ("study", c_char_p),
        ("over", c_void_p),
        ("subject_to", c_void_p),
        ("nover", c_int),
        ("nsubject_to", c_int),
    ]


class sal_element_info(Structure):
    _fields_ = [
        ("section", c_char_p),
        ("name", c_char_p),
        ("type", c_char_p),
        ("constraints", c_int),
    ]


class sal_point_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("body", c_char_p),
        ("dof", c_bool * 2),
    ]


class sal_drawing(Structure):
    _fields_ = [
        ("kind", c_int),
        ("name", c_char_p),
        ("element", c_int),
        ("body", c_int),
        ("reference", c_int),
        ("npoints", c_int),
        ("points", c_void_p),
        ("curve", c_bool),
    ]


class sal_setting(Structure):
    _fields_ = [
        ("parameter", c_char_p),
        ("value", c_double),
    ]


class sal_run_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("form", c_int),
        ("stabilization", c_int),
        ("integrator", c_int),
        ("duration", c_double),
        ("rtol", c_double),
        ("atol", c_double),
        ("max_step", c_double),
        ("min_step", c_double),
        ("set", c_void_p),
        ("nset", c_int),
        ("wrt", c_void_p),
        ("nwrt", c_int),
        ("wrt_uncontrolled", c_bool),
        ("partitioned", c_bool),
        ("quiet", c_bool),
        ("validate", c_bool),
        ("max_steps", c_long),
        ("max_events", c_long),
        ("max_wall", c_double),
        ("stop", CFUNCTYPE(c_bool, c_void_p)),
        ("user", c_void_p),
        ("stop_every", c_double),
    ]


class sal_start(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("t", c_double),
        ("q", c_void_p),
        ("v", c_void_p),
        ("memory", c_void_p),
        ("closed", c_void_p),
    ]


class sal_reader(Structure):
    _fields_ = [
        ("self", c_void_p),
        ("start", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("output", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("event", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("step", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("end", CFUNCTYPE(None, c_void_p, c_void_p, c_int)),
    ]


class sal_cost_peak(Structure):
    _fields_ = [
        ("value", c_double),
        ("time", c_double),
        ("place", c_int),
    ]


class sal_drawing_state(Structure):
    _fields_ = [
        ("angle", c_double),
        ("reference", c_double),
        ("radius", c_double),
        ("height", c_double),
        ("speed", c_double),
        ("low", c_double),
        ("high", c_double),
        ("place", c_double * 2),
        ("direction", c_double * 2),
        ("force", c_double * 2),
        ("torque", c_double),
        ("friction", c_double),
        ("rate", c_double),
        ("holds", c_bool),
    ]


class sal_event_info(Structure):
    _fields_ = [
        ("index", c_int),
        ("name", c_char_p),
        ("time", c_double),
        ("rate", c_double),
        ("grazing", c_bool),
        ("stop", c_bool),
        ("v_before", c_void_p),
        ("a_before", c_void_p),
        ("lambda_before", c_void_p),
        ("outputs_before", c_void_p),
        ("reactions_before", c_void_p),
        ("energy_before", c_double),
        ("impulse", c_void_p),
        ("closed", c_bool),
        ("energy_added", c_double),
    ]


class sal_event_contact(Structure):
    _fields_ = [
        ("contact", c_char_p),
        ("event", c_int),
        ("normal", c_double),
        ("friction", c_double),
    ]


class sal_run_stats(Structure):
    _fields_ = [
        ("steps", c_long),
        ("rejected", c_long),
        ("evaluations", c_long),
        ("factorizations", c_long),
        ("full_factorizations", c_long),
        ("events", c_long),
        ("max_phi", c_double),
        ("max_phidot", c_double),
        ("energy_start", c_double),
        ("energy_drift", c_double),
    ]


class sal_change(Structure):
    _fields_ = [
        ("time", c_double),
        ("integrator", c_int),
        ("element", c_char_p),
    ]


class sal_health_item(Structure):
    _fields_ = [
        ("kind", c_char_p),
        ("value", c_double),
        ("limit", c_double),
        ("time", c_double),
        ("name", c_char_p),
    ]


class sal_health(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("balance", c_double),
        ("transversality", c_double),
        ("grazed", c_char_p),
        ("grazed_at", c_double),
        ("jams", c_long),
        ("closings", c_long),
        ("energy_added", c_double),
    ]


class sal_work(Structure):
    _fields_ = [
        ("section", c_char_p),
        ("name", c_char_p),
        ("joules", c_double),
    ]


class sal_adjoint_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("wrt", c_void_p),
        ("nwrt", c_int),
        ("costs", c_void_p),
        ("ncosts", c_int),
        ("memory", c_size_t),
    ]


class sal_adjoint_info(Structure):
    _fields_ = [
        ("costs", c_int),
        ("wrt", c_int),
        ("steps", c_long),
        ("remade", c_long),
        ("memory", c_size_t),
        ("note", c_char_p),
    ]


class sal_verify_item(Structure):
    _fields_ = [
        ("what", c_char_p),
        ("wrt", c_char_p),
        ("exact", c_double),
        ("numeric", c_double),
        ("difference", c_double),
        ("known", c_bool),
        ("good", c_bool),
    ]


class sal_record_info(Structure):
    _fields_ = [
        ("status", c_int),
        ("samples", c_int),
        ("events", c_int),
        ("stride", c_size_t),
        ("t", c_void_p),
        ("segment", c_void_p),
        ("q", c_void_p),
        ("v", c_void_p),
        ("a", c_void_p),
        ("lambda", c_void_p),
        ("costs", c_void_p),
        ("Q", c_void_p),
        ("V", c_void_p),
        ("A", c_void_p),
        ("Lambda", c_void_p),
        ("cost_gradients", c_void_p),
    ]


class sal_record_event(Structure):
    _fields_ = [
        ("index", c_int),
        ("name", c_char_p),
        ("sample", c_int),
        ("time", c_double),
        ("rate", c_double),
        ("energy", c_double),
        ("energy_lost", c_double),
        ("energy_added", c_double),
        ("grazing", c_bool),
        ("stop", c_bool),
        ("closed", c_bool),
        ("impulse", c_void_p),
        ("gradient", c_void_p),
        ("impulse_gradient", c_void_p),
        ("contacts", c_int),
        ("contact", c_void_p),
    ]


class sal_cycle_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("section", c_char_p),
        ("steps", c_int),
        ("tolerance", c_double),
        ("iterations", c_int),
        ("run", sal_run_opts),
    ]


class sal_cycle_info(Structure):
    _fields_ = [
        ("section", c_char_p),
        ("steps", c_int),
        ("shortest", c_int),
        ("iterations", c_int),
        ("residual", c_double),
        ("period", c_double),
        ("advance", c_double * 2),
        ("length", c_double),
        ("memory", c_int),
        ("unknowns", c_int),
        ("multipliers", c_int),
        ("neutral", c_int),
        ("largest", c_double),
        ("stable", c_bool),
    ]


class sal_cycle_point(Structure):
    _fields_ = [
        ("number", c_int),
        ("parameter", c_double),
        ("kind", c_int),
    ]


class sal_follow_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("from", c_double),
        ("to", c_double),
        ("points", c_int),
        ("step", c_double),
        ("max_step", c_double),
        ("min_step", c_double),
        ("report", sal_cycle_report),
        ("user", c_void_p),
    ]


class sal_analysis_info(Structure):
    _fields_ = [
        ("constraints", c_int),
        ("rank", c_int),
        ("freedom", c_int),
        ("singular", c_double),
        ("near_singular", c_bool),
        ("dependencies", c_int),
        ("unused_points", c_int),
        ("unused_parameters", c_int),
    ]


class sal_dependency(Structure):
    _fields_ = [
        ("row", c_int),
        ("count", c_int),
        ("others", c_void_p),
        ("factor", c_void_p),
        ("here", c_bool),
    ]


class sal_equilibrium_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("tolerance", c_double),
        ("iterations", c_int),
        ("run", sal_run_opts),
    ]


class sal_equilibrium_info(Structure):
    _fields_ = [
        ("iterations", c_int),
        ("residual", c_double),
        ("freedom", c_int),
        ("stiffness", c_double),
        ("stable", c_bool),
        ("neutral", c_bool),
        ("energy", c_double),
        ("warning", c_char_p),
    ]


class sal_mode(Structure):
    _fields_ = [
        ("kind", c_int),
        ("s", c_double * 2),
        ("frequency", c_double),
        ("damping", c_double),
        ("unstable", c_bool),
        ("repeated", c_int),
        ("shape", c_void_p * 2),
        ("mass", c_double),
    ]


class sal_sweep_opts(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("study", c_int),
        ("over", c_void_p),
        ("nover", c_int),
        ("columns", c_void_p),
        ("ncolumns", c_int),
        ("jobs", c_int),
        ("section", c_char_p),
        ("steps", c_int),
        ("tolerance", c_double),
        ("run", sal_run_opts),
        ("gradients", c_int),
    ]


class sal_sweep_result(Structure):
    _fields_ = [
        ("index", c_long),
        ("status", c_int),
        ("row", c_void_p),
        ("message", c_char_p),
    ]


# The type of the result, and those of the arguments.
FUNCTIONS = {
    "sal_adjoint_cost": (c_char_p, [c_void_p, c_int]),
    "sal_adjoint_create": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_adjoint_defaults": (sal_adjoint_opts, []),
    "sal_adjoint_destroy": (None, [c_void_p]),
    "sal_adjoint_get_info": (sal_adjoint_info, [c_void_p]),
    "sal_adjoint_gradient": (c_void_p, [c_void_p, c_int]),
    "sal_adjoint_reader": (sal_reader, [c_void_p]),
    "sal_adjoint_sweep": (c_int, [c_void_p]),
    "sal_adjoint_wrt": (c_char_p, [c_void_p, c_int]),
    "sal_analysis_create": (c_int, [c_void_p, c_void_p]),
    "sal_analysis_dependency": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_analysis_destroy": (None, [c_void_p]),
    "sal_analysis_get_info": (sal_analysis_info, [c_void_p]),
    "sal_analysis_unused_parameter": (c_char_p, [c_void_p, c_int]),
    "sal_analysis_unused_point": (c_char_p, [c_void_p, c_int]),
    "sal_context_create": (c_int, [c_void_p, c_void_p]),
    "sal_context_defaults": (sal_context_opts, []),
    "sal_context_destroy": (None, [c_void_p]),
    "sal_cycle_cost_gradients": (c_void_p, [c_void_p]),
    "sal_cycle_costs": (c_void_p, [c_void_p]),
    "sal_cycle_create": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_cycle_defaults": (sal_cycle_opts, []),
    "sal_cycle_destroy": (None, [c_void_p]),
    "sal_cycle_find": (c_int, [c_void_p]),
    "sal_cycle_follow": (c_int, [c_void_p, c_char_p, c_void_p]),
    "sal_cycle_get_info": (sal_cycle_info, [c_void_p]),
    "sal_cycle_length_gradient": (c_void_p, [c_void_p]),
    "sal_cycle_memory": (c_char_p, [c_void_p, c_int]),
    "sal_cycle_monodromy": (None, [c_void_p, c_void_p]),
    "sal_cycle_multiplier": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_cycle_output_gradients": (c_void_p, [c_void_p]),
    "sal_cycle_outputs": (c_void_p, [c_void_p]),
    "sal_cycle_period_gradient": (c_void_p, [c_void_p]),
    "sal_cycle_set": (c_int, [c_void_p, c_char_p, c_double]),
    "sal_cycle_start": (c_void_p, [c_void_p]),
    "sal_cycle_start_gradients": (c_void_p, [c_void_p]),
    "sal_cycle_wrt": (c_char_p, [c_void_p, c_int]),
    "sal_cycle_wrt_count": (c_int, [c_void_p]),
    "sal_describe": (c_int, [c_void_p, c_char_p, sal_writer, c_void_p]),
    "sal_describe_schema": (c_int, [c_void_p, sal_writer, c_void_p]),
    "sal_equilibrium_create": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_equilibrium_defaults": (sal_equilibrium_opts, []),
    "sal_equilibrium_destroy": (None, [c_void_p]),
    "sal_equilibrium_find": (c_int, [c_void_p]),
    "sal_equilibrium_get_info": (sal_equilibrium_info, [c_void_p]),
    "sal_equilibrium_lambda": (c_void_p, [c_void_p]),
    "sal_equilibrium_lambda_gradients": (c_void_p, [c_void_p]),
    "sal_equilibrium_output_gradients": (c_void_p, [c_void_p]),
    "sal_equilibrium_outputs": (c_void_p, [c_void_p]),
    "sal_equilibrium_q": (c_void_p, [c_void_p]),
    "sal_equilibrium_q_gradients": (c_void_p, [c_void_p]),
    "sal_equilibrium_reaction_gradients": (c_void_p, [c_void_p]),
    "sal_equilibrium_reactions": (c_void_p, [c_void_p]),
    "sal_equilibrium_set": (c_int, [c_void_p, c_char_p, c_double]),
    "sal_equilibrium_wrt": (c_char_p, [c_void_p, c_int]),
    "sal_equilibrium_wrt_count": (c_int, [c_void_p]),
    "sal_error": (c_void_p, [c_void_p, c_int]),
    "sal_error_count": (c_int, [c_void_p]),
    "sal_evaluate": (c_int, [c_void_p, c_char_p, c_void_p]),
    "sal_follow_defaults": (sal_follow_opts, []),
    "sal_message": (c_char_p, [c_void_p]),
    "sal_model_constraint": (c_char_p, [c_void_p, c_int]),
    "sal_model_coordinate": (c_char_p, [c_void_p, c_int]),
    "sal_model_cost": (c_char_p, [c_void_p, c_int]),
    "sal_model_create": (c_int, [c_void_p, c_void_p]),
    "sal_model_destroy": (None, [c_void_p]),
    "sal_model_drawing": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_model_drawing_count": (c_int, [c_void_p]),
    "sal_model_element": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_model_evaluate": (c_int, [c_void_p, c_void_p, c_int, c_char_p, c_void_p]),
    "sal_model_event": (c_char_p, [c_void_p, c_int]),
    "sal_model_get_info": (sal_model_info, [c_void_p]),
    "sal_model_get_search": (sal_search, [c_void_p]),
    "sal_model_memory": (c_char_p, [c_void_p, c_int]),
    "sal_model_output": (c_char_p, [c_void_p, c_int]),
    "sal_model_parameter": (c_char_p, [c_void_p, c_int]),
    "sal_model_point": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_model_reaction": (c_char_p, [c_void_p, c_int, c_void_p]),
    "sal_model_touch": (c_char_p, [c_void_p, c_int]),
    "sal_model_vector": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_modes_count": (c_int, [c_void_p]),
    "sal_modes_create": (c_int, [c_void_p, c_void_p]),
    "sal_modes_destroy": (None, [c_void_p]),
    "sal_modes_gradient": (c_bool, [c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p]),
    "sal_modes_mode": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_plugin_load": (c_int, [c_void_p, c_char_p]),
    "sal_probe_create": (c_int, [c_void_p, c_char_p, c_void_p]),
    "sal_probe_destroy": (None, [c_void_p]),
    "sal_probe_gradient": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_probe_value": (c_double, [c_void_p, c_void_p]),
    "sal_record_create": (c_int, [c_void_p, c_void_p]),
    "sal_record_destroy": (None, [c_void_p]),
    "sal_record_get_event": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_record_get_info": (sal_record_info, [c_void_p]),
    "sal_record_output": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "sal_record_probe": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "sal_record_reader": (sal_reader, [c_void_p]),
    "sal_run_A": (c_void_p, [c_void_p]),
    "sal_run_Lambda": (c_void_p, [c_void_p]),
    "sal_run_Lambda_before": (c_void_p, [c_void_p]),
    "sal_run_Q": (c_void_p, [c_void_p]),
    "sal_run_Q_before": (c_void_p, [c_void_p]),
    "sal_run_V": (c_void_p, [c_void_p]),
    "sal_run_V_before": (c_void_p, [c_void_p]),
    "sal_run_a": (c_void_p, [c_void_p]),
    "sal_run_change": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_run_changes": (c_int, [c_void_p]),
    "sal_run_closed": (c_bool, [c_void_p, c_int]),
    "sal_run_cost_gradients": (c_void_p, [c_void_p]),
    "sal_run_cost_peak": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_run_costs": (c_void_p, [c_void_p]),
    "sal_run_create": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_run_defaults": (sal_run_opts, []),
    "sal_run_destroy": (None, [c_void_p]),
    "sal_run_drawing": (c_bool, [c_void_p, c_int, c_void_p, c_void_p]),
    "sal_run_drawing_curve": (c_bool, [c_void_p, c_int, c_double, c_void_p]),
    "sal_run_duration": (c_double, [c_void_p]),
    "sal_run_end_gradient": (c_void_p, [c_void_p]),
    "sal_run_energy": (c_double, [c_void_p]),
    "sal_run_event": (sal_event_info, [c_void_p]),
    "sal_run_event_contact": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_run_event_gradient": (c_void_p, [c_void_p]),
    "sal_run_final_gradients": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "sal_run_get_health": (sal_health, [c_void_p]),
    "sal_run_get_opts": (sal_run_opts, [c_void_p]),
    "sal_run_get_stats": (sal_run_stats, [c_void_p]),
    "sal_run_health_item": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_run_health_text": (c_size_t, [c_void_p, c_char_p, c_size_t]),
    "sal_run_impulse_chosen": (c_bool, [c_void_p, c_int]),
    "sal_run_impulse_gradient": (c_void_p, [c_void_p]),
    "sal_run_jacobian": (c_int, [c_void_p, c_void_p]),
    "sal_run_lambda": (c_void_p, [c_void_p]),
    "sal_run_lambda_chosen": (c_bool, [c_void_p, c_int]),
    "sal_run_linearize": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "sal_run_load": (c_int, [c_void_p, c_void_p, c_size_t]),
    "sal_run_mass": (None, [c_void_p, c_void_p]),
    "sal_run_memory": (c_double, [c_void_p, c_int]),
    "sal_run_message": (c_char_p, [c_void_p]),
    "sal_run_output": (c_double, [c_void_p, c_int]),
    "sal_run_output_gradient": (c_int, [c_void_p, c_int, c_void_p]),
    "sal_run_output_interval": (c_double, [c_void_p]),
    "sal_run_parameter": (c_double, [c_void_p, c_int]),
    "sal_run_partition": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_run_point": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
    "sal_run_q": (c_void_p, [c_void_p]),
    "sal_run_rank": (c_int, [c_void_p, c_void_p]),
    "sal_run_reaction": (c_double, [c_void_p, c_int]),
    "sal_run_restart": (c_int, [c_void_p]),
    "sal_run_saltation": (c_int, [c_void_p, c_void_p]),
    "sal_run_save": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "sal_run_set": (c_int, [c_void_p, c_char_p, c_double]),
    "sal_run_set_output_times": (c_int, [c_void_p, c_void_p, c_int]),
    "sal_run_set_parameter": (c_int, [c_void_p, c_int, c_double]),
    "sal_run_start_at": (c_int, [c_void_p, c_void_p]),
    "sal_run_step": (c_int, [c_void_p]),
    "sal_run_stiff": (c_char_p, [c_void_p, c_void_p, c_void_p]),
    "sal_run_time": (c_double, [c_void_p]),
    "sal_run_to": (c_int, [c_void_p, c_double]),
    "sal_run_v": (c_void_p, [c_void_p]),
    "sal_run_work": (c_bool, [c_void_p, c_int, c_void_p]),
    "sal_run_wrt": (c_char_p, [c_void_p, c_int]),
    "sal_run_wrt_count": (c_int, [c_void_p]),
    "sal_run_wrt_invalid": (c_char_p, [c_void_p]),
    "sal_run_wrt_note": (c_char_p, [c_void_p]),
    "sal_run_wrt_residuals": (None, [c_void_p, c_void_p, c_void_p]),
    "sal_scene_destroy": (None, [c_void_p]),
    "sal_scene_load": (c_int, [c_void_p, c_char_p, c_void_p]),
    "sal_scene_parse": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, c_void_p]),
    "sal_simulate": (c_int, [c_void_p, c_void_p, c_int]),
    "sal_start_defaults": (sal_start, []),
    "sal_status_name": (c_char_p, [c_int]),
    "sal_status_text": (c_char_p, [c_int]),
    "sal_sweep_case": (c_int, [c_void_p, c_void_p, c_void_p, c_char_p, c_size_t]),
    "sal_sweep_cases": (c_int, [c_void_p, c_void_p, c_long, sal_sweep_report, c_void_p]),
    "sal_sweep_column": (c_char_p, [c_void_p, c_int]),
    "sal_sweep_column_count": (c_int, [c_void_p]),
    "sal_sweep_create": (c_int, [c_void_p, c_void_p, c_void_p]),
    "sal_sweep_defaults": (sal_sweep_opts, []),
    "sal_sweep_destroy": (None, [c_void_p]),
    "sal_sweep_gradient": (c_bool, [c_void_p, c_int, c_void_p, c_void_p]),
    "sal_sweep_gradients": (c_int, [c_void_p, c_void_p]),
    "sal_verify": (c_int, [c_void_p, c_void_p, c_double, sal_verify_report, c_void_p, c_void_p]),
    "sal_verify_adjoint": (c_int, [c_void_p, c_void_p, c_void_p, c_int, c_double, sal_verify_report, c_void_p, c_void_p]),
    "sal_version": (c_char_p, []),
}
