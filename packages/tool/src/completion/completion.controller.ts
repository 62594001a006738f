import { dto, route, string } from "@tenon/core";

const ShellName = dto({ shell: string("required", "oneof=bash zsh fish").describe("The shell that reads the script") });

/** Each script asks `tenon complete -- <words>`, which `main.ts` answers. */
const scripts = {
  bash: `# bash completion of tenon: source <(tenon completion bash)
_tenon() {
  local IFS=$'\\n'
  COMPREPLY=($(tenon complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
  if [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _tenon tenon
`,
  zsh: `#compdef tenon
# zsh completion of tenon: source <(tenon completion zsh)
_tenon() {
  local -a found
  found=("\${(@f)$(tenon complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null | cut -f 1)}")
  compadd -S '' -- "\${(@M)found:#*=}"
  compadd -- "\${(@)found:#*=}"
}
if [[ "\${funcstack[1]}" == _tenon ]]; then _tenon "$@"; else compdef _tenon tenon; fi
`,
  fish: `# fish completion of tenon: tenon completion fish | source
complete -c tenon -f -a '(tenon complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

export class CompletionController {
  readonly print = route.command(
    "completion/:shell",
    { summary: "Print a script that completes commands and flags", params: ShellName },
    (_ctx, { params }) => Buffer.from(scripts[params.shell as keyof typeof scripts]), // the tag has checked it; bytes, because --json would quote a text
  );

  routes() {
    return [this.print];
  }
}
