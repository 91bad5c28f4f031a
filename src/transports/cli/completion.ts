/** What a shell can offer after `trawl`: made from the commands themselves, so that it is never behind them. */
import type { Command } from "commander";
import { settingChoices } from "./crawl-options.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** What may follow a command, and what may follow those of its options that take one of a few words. */
export interface Completions {
  /** Such as `archive run`; the program itself is empty. */
  path: string;
  commands: string[];
  options: string[];
  choices: Record<string, readonly string[]>;
}

export function completionsOf(command: Command, path: readonly string[] = []): Completions[] {
  const options = command.options.filter(({ hidden, long }) => !hidden && long);
  const ofSettings = settingChoices();
  const choices = options.flatMap(({ long, argChoices = ofSettings.get(long!) }) =>
    argChoices === undefined ? [] : [[long!, argChoices]],
  );
  return [
    {
      path: path.join(" "),
      commands: [...command.commands.map((child) => child.name()), ...(path.length === 0 ? ["help"] : [])],
      options: [...options.map(({ long }) => long!), "--help"],
      choices: Object.fromEntries(choices),
    },
    ...command.commands.flatMap((child) => completionsOf(child, [...path, child.name()])),
  ];
}

/**
 * The script for a shell. All of them hold one function that maps the command typed so far, and the word before the cursor, to
 * words; where it has none, the shell offers files.
 */
export const completionScript = (shell: Shell, completions: readonly Completions[]): string =>
  [`# Completion of trawl for ${shell}; made by: trawl completion ${shell}`, SCRIPTS[shell](completions), ""].join(
    "\n",
  );

const wordsOf = ({ commands, options }: Completions): string => [...commands, ...options].join(" ");

/** Paths and words are names of ours without quotes or blanks inside, so that quoting them is enough. */
const cases = (completions: readonly Completions[], line: (key: string, words: string) => string): string =>
  completions
    .flatMap((each) => [
      ...Object.entries(each.choices).map(([option, words]) => line(`${each.path}|${option}`, words.join(" "))),
      line(`${each.path}|`, wordsOf(each)),
    ])
    .join("\n");

const posixWords = (completions: readonly Completions[]): string => `_trawl_words() {
  case "$1" in
${cases(completions, (key, words) => `    "${key}") echo "${words}" ;;`)}
  esac
}

# The command that the words before the cursor name, without what is an argument of it.
_trawl_path() {
  local path="" word next
  for word in "$@"; do
    next="\${path:+$path }$word"
    [ -n "$(_trawl_words "$next|")" ] && path="$next"
  done
  echo "$path"
}`;

const SCRIPTS: Record<Shell, (completions: readonly Completions[]) => string> = {
  bash: (completions) => `${posixWords(completions)}

_trawl() {
  local path words
  path=$(_trawl_path "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  words=$(_trawl_words "$path|\${COMP_WORDS[COMP_CWORD-1]}")
  [ -n "$words" ] || words=$(_trawl_words "$path|")
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _trawl trawl`,

  zsh: (completions) => `${posixWords(completions)}

_trawl() {
  local trawl_path trawl_words
  trawl_path=$(_trawl_path \${words[2,CURRENT-1]})
  trawl_words=$(_trawl_words "$trawl_path|\${words[CURRENT-1]}")
  [ -n "$trawl_words" ] || trawl_words=$(_trawl_words "$trawl_path|")
  compadd -- \${=trawl_words} || _files
}
compdef _trawl trawl`,

  fish: (completions) => `function __trawl_words
    switch "$argv[1]"
${cases(completions, (key, words) => `        case "${key}"\n            string split -- " " "${words}"`)}
    end
end

function __trawl_complete
    set -l typed (commandline -opc)
    set -l path ""
    for word in $typed[2..-1]
        set -l next (string trim "$path $word")
        test -n "$(__trawl_words "$next|")"; and set path $next
    end
    set -l words (__trawl_words "$path|$typed[-1]")
    test -n "$words"; or set words (__trawl_words "$path|")
    printf "%s\\n" $words
end
complete -c trawl -a "(__trawl_complete)"`,
};
