# Reads what programs print for --help, and prints a man page or completions for a shell of it.
#
# Input: for a program, and each of its commands, a line "@ PROGRAM [COMMAND]" and then its help. Variables: format (man, bash, zsh,
# fish), and for man also section, version and purpose. Only POSIX awk: Debian's default is mawk.

# An option is a line "  --NAME [VALUE] [(=DEFAULT)]  TEXT"; lines that are indented further continue the text.
function parse_option(line, rest) {
  ++options
  owner[options] = command
  rest = substr(line, 5)
  match(rest, /^[a-z0-9._-]+/)
  name[options] = substr(rest, 1, RLENGTH)
  rest = substr(rest, RLENGTH + 1)
  if (match(rest, /^, --version/)) {
    rest = substr(rest, RLENGTH + 1)
    has_version = 1
  }
  if (match(rest, /^ [^ (][^ ]*/)) {
    value[options] = substr(rest, 2, RLENGTH - 1)
    rest = substr(rest, RLENGTH + 1)
  }
  if (match(rest, /^ \(=[^)]*\)/)) {
    initial[options] = substr(rest, 4, RLENGTH - 4)
    rest = substr(rest, RLENGTH + 1)
  }
  sub(/^ +/, "", rest)
  text[options] = rest
}

# A command is a line "  NAME  TEXT" below "Commands:" or "Suites:".
function parse_command(line) {
  sub(/^ +/, "", line)
  match(line, /^[a-z-]+/)
  commands[++command_count] = substr(line, 1, RLENGTH)
  line = substr(line, RLENGTH + 1)
  sub(/^ +/, "", line)
  command_text[command_count] = line
}

function body(line) {
  lines[++line_count] = line
  line_owner[line_count] = command
  option_at[line_count] = 0
}

$1 == "@" { program = $2; command = $3; is_first = 1; in_commands = 0; next }
is_first {
  sub(/^Usage: /, "")
  if (index($0, program) != 1) $0 = program " " $0
  synopsis[command] = $0
  is_first = 0
  next
}
/^  --[a-z]/ {
  in_commands = 0
  sub(/ +$/, "")
  parse_option($0)
  body("")
  option_at[line_count] = options
  next
}
/^    / && line_count > 0 && option_at[line_count] > 0 { sub(/^ +/, ""); sub(/ +$/, ""); gsub(/  +/, " "); text[options] = text[options] " " $0; next }
/^(Commands|Suites):/ {
  in_commands = 1
  body($0)
  sub(/^[A-Za-z]*: */, "")
  if ($0 != "") { lines[line_count] = "Suites:"; parse_command($0); body(""); option_at[line_count] = -command_count }
  next
}
in_commands && /^ +[a-z-]+ / { parse_command($0); body(""); option_at[line_count] = -command_count; next }
{ if ($0 != "") in_commands = 0; body($0) }

# --- a man page ---

function troff(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/`/, "\\(ga", s)
  gsub(/'/, "\\(aq", s)
  sub(/^\./, "\\\\\\&.", s)
  return s
}

function man_option(i) {
  print ".TP"
  printf "\\fB\\-\\-%s\\fR", troff(name[i])
  if (value[i] != "") printf " \\fI%s\\fR", troff(value[i])
  if (initial[i] != "") printf " [%s]", troff(initial[i])
  if (name[i] == "help" && has_version) printf ", \\fB\\-\\-version\\fR"
  printf "\n%s\n", troff(text[i])
}

function man_lines(wanted, i, is_paragraph) {
  is_paragraph = 0
  for (i = 1; i <= line_count; i++) {
    if (line_owner[i] != wanted) continue
    if (option_at[i] > 0) { man_option(option_at[i]); is_paragraph = 0; continue }
    if (option_at[i] < 0) {
      printf ".TP\n\\fB%s\\fR\n%s\n", troff(commands[-option_at[i]]), troff(command_text[-option_at[i]])
      is_paragraph = 0
      continue
    }
    if (lines[i] == "") { is_paragraph = 0; continue }
    if (lines[i] ~ /:$/) { printf ".PP\n%s\n", troff(lines[i]); is_paragraph = 0; continue }
    if (!is_paragraph || lines[i] ~ /^Exit status/) print ".PP"
    print troff(lines[i])
    is_paragraph = 1
  }
}

function print_man(i) {
  title = program
  printf ".TH %s %s \"\" \"statmill %s\" \"statmill\"\n", toupper(title), section, version
  printf ".SH NAME\n%s \\- %s\n", troff(title), troff(purpose)
  printf ".SH SYNOPSIS\n.B %s\n.SH DESCRIPTION\n", troff(synopsis[""])
  man_lines("")
  if (command_count > 0 && commands[1] in synopsis) {
    print ".SH COMMANDS"
    for (i = 1; i <= command_count; i++) {
      if (!(commands[i] in synopsis)) continue
      printf ".SS %s\n.B %s\n", troff(commands[i]), troff(synopsis[commands[i]])
      man_lines(commands[i])
    }
  }
  printf ".SH SEE ALSO\n"
  printf "statmilld(8), statmill\\-agent(8), statmill(1), statmill\\-bench(1); /usr/share/doc/statmill\\-server\n"
}

# --- completions ---

function is_path(i) { return value[i] ~ /^(FILE|DIR|DIRECTORY|PATH)$/ }

# The options of a command, each once: suites of one program share some.
function option_words(wanted, i, out, seen) {
  out = ""
  split("", seen)
  for (i = 1; i <= options; i++) {
    if (owner[i] != wanted || name[i] in seen) continue
    seen[name[i]] = 1
    out = out (out == "" ? "" : " ") "--" name[i]
  }
  return out (wanted == "" && has_version ? " --version" : "")
}

# The options of the program and of all its commands that a path follows, as a pattern for case.
function path_options(i, out, seen) {
  out = ""
  split("", seen)
  for (i = 1; i <= options; i++) {
    if (!is_path(i) || name[i] in seen) continue
    seen[name[i]] = 1
    out = out (out == "" ? "" : "|") "--" name[i]
  }
  return out
}

function command_words(i, out) {
  out = ""
  for (i = 1; i <= command_count; i++) out = out (i == 1 ? "" : " ") commands[i]
  return out
}

# The commands whose arguments are names of series, as a pattern for case.
function name_commands(i, out) {
  out = ""
  for (i = 1; i <= command_count; i++) {
    if (synopsis[commands[i]] ~ /NAME_OR_PATTERN|\[PATTERN\]/) out = out (out == "" ? "" : "|") commands[i] ":*"
  }
  return out
}

function print_bash(i, function_name, paths, names) {
  function_name = "_" program
  gsub(/-/, "_", function_name)
  printf "# bash completion for %s\n%s() {\n", program, function_name
  print "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options"
  print "  COMPREPLY=()"
  if (command_count > 0) {
    printf "  if ((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W '%s %s' -- \"$word\")\n    return\n  fi\n",
      command_words(), option_words("")
  }
  print "  case ${COMP_WORDS[1]} in"
  for (i = 1; i <= command_count; i++) {
    if (!(commands[i] in synopsis)) continue
    printf "    %s) options='%s' ;;\n", commands[i], option_words(commands[i])
  }
  printf "    *) options='%s' ;;\n  esac\n", option_words("")
  paths = path_options()
  if (paths != "") printf "  case $before in\n    %s) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n  esac\n", paths
  names = name_commands()
  if (names != "") {
    printf "  case ${COMP_WORDS[1]}:$word in\n    *:-*) ;;\n    %s)\n", names
    printf "      mapfile -t COMPREPLY < <(%s ls \"$word*\" --limit 200 --timeout 1s --format csv 2>/dev/null | sed '1d; s/,.*//; /^\"/d')\n", program
    print "      return ;;\n  esac"
  }
  print "  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")"
  print "  else mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); fi"
  printf "}\ncomplete -o filenames -F %s %s\n", function_name, program
}

function quoted(s) { gsub(/'/, "'\\''", s); return s }

function zsh_option(i, out) {
  out = text[i]
  gsub(/[\[\]:]/, "\\\\&", out)
  out = "'--" name[i] "[" quoted(out) "]"
  if (value[i] != "") { gsub(/:/, "\\:", value[i]); out = out ":" value[i] ":" (is_path(i) ? "_files" : "") }
  return out "'"
}

function zsh_arguments(wanted, indent, i, seen) {
  split("", seen)
  printf "%s_arguments", indent
  for (i = 1; i <= options; i++) {
    if (owner[i] != wanted || name[i] in seen) continue
    seen[name[i]] = 1
    printf " \\\n%s  %s", indent, zsh_option(i)
  }
  printf " \\\n%s  '*:file:_files'\n", indent
}

function print_zsh(i, out) {
  printf "#compdef %s\n", program
  if (command_count == 0) { zsh_arguments("", ""); return }
  print "if ((CURRENT == 2)); then"
  printf "  local -a commands=("
  for (i = 1; i <= command_count; i++) {
    out = command_text[i]
    gsub(/:/, "\\:", out)
    printf "\n    '%s:%s'", commands[i], quoted(out)
  }
  print "\n  )\n  _describe command commands\n  return\nfi"
  print "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in"
  for (i = 1; i <= command_count; i++) {
    if (!(commands[i] in synopsis)) continue
    printf "  %s)\n", commands[i]
    zsh_arguments(commands[i], "    ")
    print "    ;;"
  }
  print "  *)"
  zsh_arguments("", "    ")
  print "    ;;\nesac"
}

function print_fish(i, when) {
  for (i = 1; i <= command_count; i++) {
    printf "complete -c %s -n __fish_use_subcommand -f -a %s -d '%s'\n", program, commands[i], quoted(command_text[i])
  }
  for (i = 1; i <= options; i++) {
    when = owner[i] == "" ? "" : " -n '__fish_seen_subcommand_from " owner[i] "'"
    printf "complete -c %s%s -l %s%s -d '%s'\n", program, when, name[i], value[i] == "" ? "" : (is_path(i) ? " -rF" : " -x"), quoted(text[i])
  }
}

END {
  if (options == 0) { print "no options in the help of " program > "/dev/stderr"; exit 1 }
  if (format == "man") print_man()
  else if (format == "bash") print_bash()
  else if (format == "zsh") print_zsh()
  else if (format == "fish") print_fish()
  else exit 1
}
