import type { CatalogFlag } from "./command-catalog.ts";
import type { CompletionPlace } from "./completion-places.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script that completes the commands and flags of the tool in a shell. */
export function toCompletionScript(shell: Shell, places: readonly CompletionPlace[]): string {
  return { bash: toBash, zsh: toZsh, fish: toFish }[shell](places);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** As it is typed; the value follows the equals sign. */
function spell({ name, isSwitch }: CatalogFlag): string {
  return `--${name}${isSwitch ? "" : "="}`;
}

/** A pattern of `case`: `' explain '*`. */
function toPattern(words: string, end = ""): string {
  const text = words === "" ? "" : ` ${words}`;
  return `${text}${end}`.split("*").map(quote).join("*");
}

/** The flags that take a value, which may be the next word. */
function toValueFlags(places: readonly CompletionPlace[]): string {
  const names = places.flatMap(({ flags }) => flags.filter((flag) => !flag.isSwitch).map(({ name }) => `--${name}`));
  return [...new Set(names)].join("|");
}

function toBash(places: readonly CompletionPlace[]): string {
  const values = places.flatMap(({ words, flags }) =>
    flags
      .filter(({ choices }) => choices.length > 0)
      .map(({ name, choices }) => `    ${toPattern(words, ` --${name}`)}) words=${quote(choices.join(" "))} ;;`),
  );
  const words = places.map((place) => {
    const list = [...place.next.keys(), ...place.flags.map(spell)];
    return `      ${toPattern(place.words)}) words=${quote(list.join(" "))} ;;`;
  });
  return `# bash completion of tenon: source <(tenon completion bash)
_tenon() {
  local place='' flag='' words='' word index
  local current="\${COMP_WORDS[COMP_CWORD]}"
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == '=' ]]; then continue; fi
    if [[ -n "$flag" ]]; then flag=''; continue; fi
    case "$word" in
      ${toValueFlags(places)}) flag="$word" ;;
      -*) ;;
      *) place="$place $word" ;;
    esac
  done
  if [[ "$current" == '=' ]]; then current=''; fi
  case "$place $flag" in
${values.join("\n")}
  esac
  if [[ -z "$flag" ]]; then
    case "$place" in
${words.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _tenon tenon
`;
}

function toZsh(places: readonly CompletionPlace[]): string {
  const item = (word: string, about: string) =>
    quote(`${word.replaceAll(":", "\\:")}${about === "" ? "" : `:${about}`}`);
  const values = places.flatMap(({ words, flags }) =>
    flags
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ name, choices }) => `    ${toPattern(words, ` --${name}`)}) compadd -- ${choices.map(quote).join(" ")} ;;`,
      ),
  );
  const words = places.map(({ words: typed, next, flags }) => {
    const list = [...[...next].map(([word, about]) => item(word, about))];
    const options = flags.map((flag) => item(spell(flag), flag.about));
    return `    ${toPattern(typed)}) next=(${list.join(" ")}); options=(${options.join(" ")}) ;;`;
  });
  return `#compdef tenon
# zsh completion of tenon: source <(tenon completion zsh)
_tenon() {
  local place='' flag='' word
  local -a next options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n "$flag" ]]; then flag=''; continue; fi
    case "$word" in
      ${toValueFlags(places)}) flag="$word" ;;
      -*) ;;
      *) place="$place $word" ;;
    esac
  done
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    flag="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  if [[ -n "$flag" ]]; then
    case "$place $flag" in
${values.join("\n")}
      *) _files ;;
    esac
    return
  fi
  case "$place" in
${words.join("\n")}
  esac
  if (( \${#next} )); then _describe command next; fi
  if (( \${#options} )); then _describe -o flag options -S ''; fi
}
if [[ "\${funcstack[1]}" == _tenon ]]; then _tenon "$@"; else compdef _tenon tenon; fi
`;
}

function toFish(places: readonly CompletionPlace[]): string {
  const text = (value: string) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const about = (value: string) => (value === "" ? "" : ` -d ${text(value)}`);
  const lines = places.flatMap(({ words, next, flags }) => {
    const start = `complete -c tenon -n ${text(`__tenon_at ${text(words)}`)}`;
    return [
      ...[...next].map(([word, note]) => `${start} -a ${text(word)}${about(note)}`),
      ...flags.map((flag) => {
        const values = flag.choices.length > 0 ? ` -x -a ${text(flag.choices.join(" "))}` : " -r -F";
        return `${start} -l ${text(flag.name)}${flag.isSwitch ? "" : values}${about(flag.about)}`;
      }),
    ];
  });
  return `# fish completion of tenon: tenon completion fish | source
function __tenon_at
  set -l typed (commandline -opc)
  set -e typed[1]
  set -l place
  set -l flag
  for word in $typed
    if test -n "$flag"
      set flag
      continue
    end
    switch $word
      case ${toValueFlags(places).split("|").map(text).join(" ")}
        set flag $word
      case '-*'
      case '*'
        set -a place $word
    end
  end
  string match -q -- $argv[1] "$place"
end
complete -c tenon -f
${lines.join("\n")}
`;
}
