# manual.awk - manual pages and the tables of the completion, from what the command says of itself: from --help, from
# COMMAND --help, and from the reference of the scene format. (POSIX awk.)
#   awk -v exe=build/saltus -v name=saltus -v version=0.1.0 -v date=2026-01-31 -v folder=build/manual -f manual.awk
# writes NAME.1, NAME-COMMAND.1 of each command, into folder/man1, NAME-scene.5 into folder/man5, and folder/tables.bash,
# which completion.bash needs.
#
# The shape that help texts have: lines of the synopsis, which begin with the name of the program; paragraphs; options,
# indented by two, their explanation after two blanks or in the column of the others, further lines of it below;
# examples, indented by two as well.
BEGIN {
    column = 22 # where explanations of options begin
    read_overview()
    for (k = 1; k <= commands; k++) read_options(command[k])
    write_overview(folder "/man1/" name ".1")
    for (k = 1; k <= commands; k++) write_command(command[k], folder "/man1/" name "-" command[k] ".1")
    write_format(folder "/man5/" name "-scene.5")
    write_tables(folder "/tables.bash")
    if (failed) exit 1
}

# ----------------------------------------------------------------------------------------- reading

# The lines that the program prints, into text[1..n].
function ask(arguments,    call, n)
{
    split("", text)
    call = "'" exe "' " arguments
    while ((call | getline text[++n]) > 0) continue
    if (close(call) != 0 || n < 2) fail(call " says nothing")
    return n - 1
}

function fail(why)
{
    print "manual.awk: " why > "/dev/stderr"
    failed = 1
    exit 1
}

# Commands in their order, what they take and what they are for, the title and the exit codes.
function read_overview(    n, i, line, words, at)
{
    n = ask("--help")
    title = substr(text[1], index(text[1], " - ") + 3)
    for (i = 2; i <= n; i++) {
        line = text[i]
        at = match(substr(line, 3), /  +/)
        if (line ~ /^  [^ ]+ [a-z]/ && at) {
            split(line, words, " ")
            command[++commands] = words[2]
            purpose[words[2]] = substr(line, 2 + at + RLENGTH)
        } else if (line ~ /^Exit codes: / || codes) codes = codes (codes ? " " : "") line
    }
    sub(/^Exit codes: /, "", codes)
    if (!commands || !codes) fail("no commands or no exit codes in the help")
}

# Of an option line: its options into `spec`, the explanation into `told`.
function split_option(line,    at)
{
    at = match(substr(line, 3), /  +/)
    if (at) {
        spec = substr(line, 3, at - 1)
        told = substr(line, 2 + at + RLENGTH)
    } else {
        spec = substr(line, 3, column - 3)
        told = substr(line, column)
        if (spec !~ / $/) fail("no explanation found in '" line "'")
        sub(/ +$/, "", spec)
    }
}

# The options of a command with what they take ("" where nothing): options[command], takes[command, option].
function read_options(c,    n, i, k, m, piece, rest, value, word)
{
    n = ask(c " --help")
    for (i = 1; i <= n; i++) {
        if (index(text[i], name " ") == 1) { # in the synopsis
            rest = text[i]
            while (match(rest, /--[a-z-]+( [A-Z]+)?/)) {
                m = split(substr(rest, RSTART, RLENGTH), word, " ")
                rest = substr(rest, RSTART + RLENGTH)
                if (m == 2 || !((c, word[1]) in takes)) add_option(c, word[1], m == 2 ? word[2] : "")
            }
        }
        if (text[i] !~ /^  -/) continue
        split_option(text[i])
        if (told ~ /^[a-z0-9]+ or [a-z0-9]+$/) { # a choice
            value = told
            sub(/ or /, "|", value)
            sub(/ [A-Z]+$/, " " value, spec)
        }
        gsub(/, -/, "\n-", spec)
        m = split(spec, piece, "\n")
        value = piece[m]
        if (!sub(/^[^ ]+ /, "", value)) value = ""
        for (k = 1; k <= m; k++) { # what stands behind the last of several is what all of them take
            split(piece[k], word, " ")
            if (piece[k] ~ / /) value = substr(piece[k], length(word[1]) + 2)
            if (told ~ /^as for saltus run/) value = takes["run", word[1]]
            add_option(c, word[1], value)
        }
    }
    add_option(c, "--help", "")
}

function add_option(c, option, value)
{
    if (!((c, option) in takes)) options[c] = options[c] (options[c] ? " " : "") option
    takes[c, option] = value
}

# ----------------------------------------------------------------------------------------- writing

# Text as roff reads it.
function roff(s)
{
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    gsub(/`/, "\\(ga", s)
    return (s ~ /^[.']/ ? "\\&" : "") s
}

# The options of a line in bold, what they take in italics.
function bold(s,    n, k, word, out)
{
    n = split(s, word, " ")
    for (k = 1; k <= n; k++) {
        out = out (k > 1 ? " " : "") (word[k] ~ /^-/ ? "\\fB" : "\\fI") roff(word[k]) "\\fR"
    }
    return out
}

function begin(file, page, section, about)
{
    printf ".\\\" Made by tools/manual from what the command says of itself.\n" > file
    printf ".TH %s %d \"%s\" \"Saltus %s\" \"Saltus\"\n", toupper(roff(page)), section, date, version > file
    printf ".SH NAME\n%s \\- %s\n", roff(page), roff(about) > file
}

function write_overview(file,    k, n, code, number)
{
    begin(file, name, 1, title)
    print ".SH SYNOPSIS" > file
    printf "\\fB%s\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n.br\n\\fB%s\\fR \\fB\\-\\-version\\fR\n", name, name > file
    print ".SH DESCRIPTION" > file
    print "Simulates planar mechanisms that make and break contact, with derivatives that are exact through every" > file
    print "event. A mechanism is a scene, a JSON file: see \\fB" roff(name) "\\-scene\\fR(5)." > file
    print "Each command has a page of its own, and tells its options with \\fB\\-\\-help\\fR." > file
    print ".SH COMMANDS" > file
    for (k = 1; k <= commands; k++) {
        printf ".TP\n\\fB%s\\-%s\\fR(1)\n%s\n", roff(name), command[k], roff(purpose[command[k]]) > file
    }
    print ".SH EXIT STATUS" > file
    n = split(codes, code, /, */)
    for (k = 1; k <= n; k++) {
        number = code[k]
        sub(/ .*/, "", number)
        sub(/^[0-9]+ /, "", code[k])
        sub(/\.$/, "", code[k])
        printf ".TP\n%s\n%s\n", number, roff(code[k]) > file
    }
    print ".SH FILES\n.TP\n\\fI/usr/share/saltus/scenes\\fR\nmechanisms to begin with" > file
    print ".TP\n\\fI/usr/share/doc/saltus\\fR\nguides to scenes, joints, contacts and the library" > file
    print ".SH SEE ALSO\n\\fB" roff(name) "\\-scene\\fR(5)" > file
    close(file)
}

function write_command(c, file,    n, i, k, line, at, in_options, in_example, filled)
{
    begin(file, name "-" c, 1, purpose[c])
    n = ask(c " --help")
    print ".SH SYNOPSIS" > file
    for (i = 1; i <= n && text[i] != ""; i++) {
        at = match(text[i], /   +/)
        line = at ? substr(text[i], 1, at - 1) : text[i]
        printf "%s\\fB%s\\fR%s\n", (i > 1 ? ".br\n" : ""), name " " c, roff(substr(line, length(name " " c) + 1)) > file
        if (at) alone[++alones] = "\\fB" roff(line) "\\fR\n" roff(substr(text[i], at + RLENGTH))
    }
    print ".SH DESCRIPTION" > file
    for (k = 1; k <= alones; k++) print ".TP\n" alone[k] > file
    alones = 0
    for (i++; i <= n; i++) {
        line = text[i]
        if (in_example && line !~ /^  /) {
            print ".EE\n.RE" > file
            in_example = 0
        }
        if (line ~ /^  -/) {
            split_option(line)
            if (!in_options) print ".SH OPTIONS" > file
            in_options = 1
            printf ".TP\n%s\n%s\n", bold(spec), roff(told) > file
        } else if (in_options && line ~ /^    /) {
            sub(/^ +/, "", line)
            print roff(line) > file
        } else if (line ~ /^  /) {
            if (!in_example) print ".RS\n.EX" > file
            in_example = 1
            print roff(substr(line, 3)) > file
        } else if (line == "") {
            if (!in_options && filled && text[i + 1] !~ /^  -/) print ".PP" > file
        } else {
            if (in_options) print ".SH NOTES" > file
            in_options = 0
            filled = 1
            print roff(line) > file
        }
    }
    if (in_example) print ".EE\n.RE" > file
    print ".SH SEE ALSO\n\\fB" roff(name) "\\fR(1), \\fB" roff(name) "\\-scene\\fR(5)" > file
    close(file)
}

# A key of a section or type: name, kind, explanation.
function write_field(file, line,    key, kind, at)
{
    key = line
    sub(/^ +/, "", key)
    kind = key
    sub(/ .*/, "", key)
    if (!sub(/^[^ ]+ +/, "", kind)) kind = ""
    at = match(kind, /  +/)
    if (at) line = substr(kind, at + RLENGTH)
    else if (at = index(kind, "} ")) line = substr(kind, at + 2)
    else line = ""
    if (at) kind = substr(kind, 1, at)
    sub(/ +$/, "", kind)
    printf ".TP\n\\fB%s\\fR%s\n%s\n", roff(key), (line ? " \\fI" roff(kind) "\\fR" : ""), roff(line ? line : kind) > file
}

function write_format(file,    n, i, k, known, names, of, line)
{
    begin(file, name "-scene", 5, "the format of scenes")
    n = ask("types")
    print ".SH DESCRIPTION" > file
    for (i = 1; i <= n; i++) {
        line = text[i]
        if (line ~ /^      /) {
            if (!of) print ".RS" > file
            of = 1
            write_type(file, line)
        } else {
            if (of) print ".RE" > file
            of = 0
            if (line ~ /^  /) write_field(file, line)
            else if (line != "") print (i == n ? ".PP\n" : "") roff(line) > file
        }
        if (match(line, /^ +[a-z_]+/)) {
            sub(/^ +/, "", line)
            sub(/ .*/, "", line)
            if (!(line in known)) names[++k] = line
            known[line] = 1
        }
    }
    for (i = 1; i <= k; i++) write_keys(file, names[i])
    print ".SH SEE ALSO\n\\fB" roff(name) "\\fR(1), \\fB" roff(name) "\\-types\\fR(1)" > file
    close(file)
}

function write_type(file, line,    type)
{
    sub(/^ +/, "", line)
    type = line
    sub(/ .*/, "", type)
    sub(/^[^ ]+ +/, "", line)
    printf ".TP\n\\fB%s\\fR\n%s\n", roff(type), roff(line) > file
}

# Those of a section or type that has some.
function write_keys(file, of,    n, i)
{
    n = ask("types " of " 2>&1 || true")
    if (n < 2) return
    for (i = 1; i <= n; i++) {
        if (text[i] ~ /^  /) write_field(file, text[i])
        else if (text[i] != "") printf ".SH %s\n", toupper(substr(text[i], 1, 1)) roff(substr(text[i], 2)) > file
    }
}

# For bash: the commands, their options, and what these take.
function write_tables(file,    k, n, i, word)
{
    printf "# Options of %s %s and what they take. Made by tools/manual from its help.\n", name, version > file
    printf "_saltus_commands=(" > file
    for (k = 1; k <= commands; k++) printf "%s%s", (k > 1 ? " " : ""), command[k] > file
    printf ")\ndeclare -gA _saltus_options=(\n" > file
    for (k = 1; k <= commands; k++) printf "    [%s]=\"%s\"\n", command[k], options[command[k]] > file
    printf ")\ndeclare -gA _saltus_takes=(\n" > file
    for (k = 1; k <= commands; k++) {
        n = split(options[command[k]], word, " ")
        for (i = 1; i <= n; i++) {
            if (takes[command[k], word[i]] == "") continue
            printf "    [%s %s]='%s'\n", command[k], word[i], takes[command[k], word[i]] > file
        }
    }
    print ")" > file
    close(file)
}
