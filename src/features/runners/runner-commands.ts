/** The commands that start a runner on its machine. */
import { quote } from './execute/shells.ts'

/** In single quotes of a shell where the text needs them. */
const quoted = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : quote(text))

/** Without labels of its own, the runner gets `linux`. */
export function runnerCommands(
  site_url: string,
  { name, labels, token }: { name: string; labels: readonly string[]; token: string },
): string {
  const declared = (labels.length > 0 ? labels : ['linux']).map((label) => `${label}:host`)
  return [
    `gitea-runner register --no-interactive --instance ${site_url} \\`,
    `  --token ${token} --name ${quoted(name)} --labels ${quoted(declared.join(','))}`,
    'gitea-runner daemon',
  ].join('\n')
}
