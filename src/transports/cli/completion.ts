/** What a shell can offer after `trawl`: built from the commands themselves, so it is never out of date. */
import type { Command } from "commander";
import { RULE_IDS } from "../../app/data/audits.ts";
import { urlFields } from "../../app/data/crawl-answers.ts";
import { settingChoices } from "./crawl-options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow a command. Where there are no words, the shell offers files. */
export interface Completions {
  /** Such as `archive run`; the program itself is empty. */
  path: string;
  /** What may appear where no option does: the commands below this one, or the values of its arguments. */
  words: readonly string[];
  options: readonly string[];
  /** By option: what may follow it. Options without a value are not listed. */
  values: Record<string, readonly string[]>;
}

/** What options with these names take, in every command. */
function valueWords(): Record<string, readonly string[]> {
  const names = urlFields().map(({ name }) => name);
  return {
    ...Object.fromEntries(settingChoices()),
    "--fields": names,
    "--sort": names.flatMap((name) => [name, `-${name}`]),
    "--fail-on": ["error", "warning", "notice"],
  };
}

export function completionsOf(command: Command): Completions[] {
  const known = valueWords();
  const under = (command: Command, path: readonly string[]): Completions[] => {
    const options = command.options.filter(({ hidden, long }) => !hidden && long);
    const names = [...options.map(({ long }) => long!), "--help"];
    const values = options
      .filter(({ required, optional }) => required || optional)
      .map(({ long, argChoices }) => [long!, argChoices ?? known[long!] ?? []]);
    return [
      {
        path: path.join(" "),
        words: wordsOf(command, names),
        options: names,
        values: Object.fromEntries(values),
      },
      ...command.commands.flatMap((child) => under(child, [...path, child.name()])),
    ];
  };
  return under(command, []);
}

/** Words where no option appears; for a command with neither commands nor arguments, its options. */
function wordsOf({ commands, registeredArguments, parent }: Command, options: readonly string[]): readonly string[] {
  if (commands.length > 0) return [...commands.map((child) => child.name()), ...(parent === null ? ["help"] : [])];
  if (registeredArguments.length === 0) return options;
  return registeredArguments.flatMap((argument) => {
    if (argument.argChoices !== undefined) return argument.argChoices;
    if (argument.name() === "rule") return RULE_IDS;
    return argument.description.includes("`last`") ? ["last"] : [];
  });
}

/**
 * The script for a shell. All of them contain one function that maps the command typed so far, and the option before the cursor,
 * to words; it fails where it has no entry. Where there are no words, the shell offers files.
 */
export const completionScript = (shell: Shell, completions: readonly Completions[]): string =>
  [`# Completion of trawl for ${shell}; made by: trawl completion ${shell}`, SCRIPTS[shell](completions), ""].join(
    "\n",
  );

/** Paths and words are our own names without quotes or spaces, so quoting them is enough. */
const cases = (completions: readonly Completions[], line: (key: string, words: string) => string): string =>
  completions
    .flatMap(({ path, words, options, values }) => [
      ...Object.entries(values).map(([option, words]) => line(`${path}|${option}`, words.join(" "))),
      line(`${path}|--`, options.join(" ")),
      line(`${path}|`, words.join(" ")),
    ])
    .join("\n");

const posixWords = (completions: readonly Completions[]): string => `_trawl_words() {
  case "$1" in
${cases(completions, (key, words) => `    "${key}") echo "${words}" ;;`)}
    *) return 1 ;;
  esac
}

# The words that may stand at the cursor: $1 is what is typed there, $2 what is before it, and then comes the whole line.
_trawl_offer() {
  local current="$1" before="$2" trawl_path="" word
  shift 2
  for word in "$@"; do
    _trawl_words "\${trawl_path:+$trawl_path }$word|" > /dev/null && trawl_path="\${trawl_path:+$trawl_path }$word"
  done
  case "$before" in
    --?*) _trawl_words "$trawl_path|$before" && return ;;
  esac
  case "$current" in
    -*) _trawl_words "$trawl_path|--" ;;
    *) _trawl_words "$trawl_path|" ;;
  esac
}`;

const SCRIPTS: Record<Shell, (completions: readonly Completions[]) => string> = {
  // In a list such as url,sta, the part after the last comma is completed; "=" is a word of its own in bash.
  bash: (completions) => `${posixWords(completions)}

_trawl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" head=""
  if [ "$current" = "=" ]; then current=""; elif [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$current" in *,*) head="\${current%,*}," ;; esac
  COMPREPLY=($(compgen -P "$head" -W "$(_trawl_offer "$current" "$before" "\${COMP_WORDS[@]:1:COMP_CWORD-1}")" -- "\${current##*,}"))
}
complete -o default -F _trawl trawl`,

  zsh: (completions) => `${posixWords(completions)}

_trawl() {
  local trawl_words before="\${words[CURRENT-1]}"
  if compset -P '--*='; then before="\${IPREFIX%=}"; fi
  trawl_words=$(_trawl_offer "\${words[CURRENT]}" "$before" \${words[2,CURRENT-1]})
  compset -P '*,'
  if [ -n "$trawl_words" ]; then compadd -- \${=trawl_words}; else _files; fi
}
compdef _trawl trawl`,

  fish: (completions) => `function __trawl_words
    switch "$argv[1]"
${cases(completions, (key, words) => `        case "${key}"\n            string split -n -- " " "${words}"; or true`)}
        case "*"
            return 1
    end
end

function __trawl_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    set -l path ""
    for word in $typed[2..-1]
        set -l next (string trim -- "$path $word")
        __trawl_words "$next|" > /dev/null; and set path $next
    end
    set -l key "$path|"
    string match -q -- "-*" $current; and set key "$path|--"
    string match -q -- "--*" $typed[-1]; and __trawl_words "$path|$typed[-1]" > /dev/null; and set key "$path|$typed[-1]"
    set -l words (__trawl_words $key)
    if test -z "$words"
        __fish_complete_path $current
        return
    end
    set -l head (string match -r -- '.*,' $current)
    set -q head[1]; or set head ""
    printf "%s\\n" $head$words
end
complete -c trawl -f -a "(__trawl_complete)"`,
};
