# shellcheck shell=bash disable=SC2154 # the tables of commands, options and what these take stand above

# The names of a section that saltus check prints of the scene on the line: parameters, contacts, points, ...
_saltus_names() # <section>
{
    local word

    for word in "${words[@]:2}"; do
        if [[ $word == *.json && -r $word ]]; then
            "${words[0]}" check "$word" 2>/dev/null |
                awk -v section="$1" '/^[^ ]/ { inside = $1 == section; next } inside && NF { print $1 }'
            return
        fi
    done
}

# Names that may follow others after commas.
_saltus_list() # <names>
{
    local before=

    [[ $cur == *,* ]] && before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
    compopt -o nospace
}

_saltus_value() # <what the option takes>
{
    case $1 in
    FILE) _filedir ;;
    FOLDER) _filedir -d ;;
    NAME=*)
        [[ $cur == *=* ]] && return
        mapfile -t COMPREPLY < <(compgen -S = -W "$(_saltus_names parameters)" -- "$cur")
        compopt -o nospace
        ;;
    A,B,...) _saltus_list "$(_saltus_names parameters)" ;;
    P,Q) _saltus_list "$(_saltus_names points)" ;;
    EVENT) mapfile -t COMPREPLY < <(compgen -W "$(_saltus_names contacts)" -- "$cur") ;;
    *'|'*) mapfile -t COMPREPLY < <(compgen -W "${1//|/ }" -- "$cur") ;;
    esac
}

_saltus()
{
    local cur prev words cword command takes
    # shellcheck disable=SC2034 # set by _init_completion
    local split

    _init_completion -s || return
    command=${words[1]}
    if [ "$cword" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "${_saltus_commands[*]} --help --version" -- "$cur")
        return
    fi
    takes=${_saltus_takes[$command $prev]-}
    if [ -n "$takes" ]; then
        _saltus_value "$takes"
    elif [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_saltus_options[$command]-}" -- "$cur")
    else
        case $command in
        types)
            mapfile -t COMPREPLY < <(compgen -W "$("${words[0]}" types 2>/dev/null | awk '/^  / { print $1 }')" -- "$cur")
            ;;
        new) [ "$cword" -ne 2 ] || mapfile -t COMPREPLY < <(compgen -W joint -- "$cur") ;;
        *) _filedir json ;;
        esac
    fi
}

complete -F _saltus saltus
