#!/bin/bash
# words.sh SOURCE - what only some folders may know: contacts by name (tables, roles, run's contacts) in contact/ and run/
# alone of those that compute, a type of joint in no file of the engine.
set -euo pipefail

cd "$1/engine"
wrong=0
if grep -nE '\bsal_touch\b|\bsal_touching\b|[.>]touches\b|\bsal_role\b|->contacts\b' \
    {base,expr,solve,equations,motion,steppers,studies}/*.[ch]; then
    echo "a contact is named outside contact/ and run/"
    wrong=1
fi
if grep -rnE 'sal_joint_[a-z]+\b' --include='*.[ch]' . | grep -vE 'sal_joint_types|sal_register_joint'; then
    echo "a type of joint is named in the engine"
    wrong=1
fi
exit "$wrong"
