/** `trawl completion`: a script with which a shell completes commands and options. */
import { Argument, type Command } from "commander";
import { addJson, type Cli, type JsonOption } from "../cli.ts";
import { completionScript, completionsOf, SHELLS, type Shell } from "../completion.ts";
import { addExamples } from "../help.ts";

export function addCompletionCommand(program: Command, cli: Cli): void {
  const command = program
    .command("completion")
    .description(
      "Prints a script with which your shell completes the commands and options of Trawl when you press Tab. Load it where your shell starts.",
    )
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS));
  addJson(command, "Print what can follow each command as JSON.");
  addExamples(command, [
    ["trawl completion bash >> ~/.bashrc", "for bash"],
    ["trawl completion zsh >> ~/.zshrc", "for zsh, after compinit"],
    ["trawl completion fish > ~/.config/fish/completions/trawl.fish", "for fish"],
  ]);
  command.action(async (shell: Shell, { json }: JsonOption) => {
    // Imported here: the program imports this file.
    const { createWholeProgram } = await import("../program.ts");
    const completions = completionsOf(await createWholeProgram(cli, ""));
    cli.terminal.write(json ? `${JSON.stringify(completions)}\n` : completionScript(shell, completions));
  });
}
