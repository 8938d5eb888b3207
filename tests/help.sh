#!/usr/bin/env bash
# What the help of a command tells is what it takes: every option that it lists is known, with a value where one is named
# and without where none is; options of other commands are refused. Manual pages and completion are made from the help.
#   help.sh <saltus> <tables of the completion>
set -euo pipefail

saltus=$1
# shellcheck source=/dev/null
source "$2"
wrong=0

# Taken by all, listed where they change something.
taken=" --json --quiet -q "
for command in "${_saltus_commands[@]}"; do
    # shellcheck disable=SC2154 # of the tables
    options=${_saltus_options[$command]}
    case $command in types | new) continue ;; esac # take other things than scenes
    for option in $(printf '%s\n' "${_saltus_options[@]}" | tr ' ' '\n' | sort -u); do
        case $option in --help | --schema | --folder) continue ;; esac
        # shellcheck disable=SC2154
        value=${_saltus_takes[$command $option]-}
        # where it takes a value that is one, else an option that nobody has; without a scene, so that nothing runs
        said=$("$saltus" "$command" "$option" --no-such-option 2>&1 || true)
        case $said in
        *"unknown option '$option'"*) found=unknown ;;
        *"unknown option '--no-such-option'"*) found=plain ;;
        "saltus: $option"[:\ ]* | "saltus: no scene given"*) found=value ;;
        *) found=neither ;;
        esac
        expected=unknown
        if [[ " $options " == *" $option "* ]]; then expected=${value:+value} expected=${expected:-plain}; fi
        if [ "$found" = "$expected" ] || [[ $expected == unknown && $taken == *" $option "* ]]; then continue; fi
        echo "saltus $command $option: the help says $expected, the command takes it as $found"
        wrong=1
    done
done
exit "$wrong"
