/** The commands that start a runner on its machine. */
import { quote } from './execute/shells.ts'

/**
 * Settings of Gitea's runner. It asks again at once, because the forge answers when there is a job,
 * and sends lines of logs early. By default it pauses for two to five seconds between requests.
 */
export const RUNNER_SETTINGS = {
  fetch_timeout: '1m',
  fetch_interval: '100ms',
  fetch_interval_max: '100ms',
  log_report_interval: '1s',
  log_report_max_latency: '300ms',
} as const
const FILE = 'runner.yaml'

/** In single quotes of a shell where the text needs them. */
const quoted = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : quote(text))

/** Without labels of its own, the runner gets `linux`. */
export function runnerCommands(
  site_url: string,
  { name, labels, token }: { name: string; labels: readonly string[]; token: string },
): string {
  const declared = (labels.length > 0 ? labels : ['linux']).map((label) => `${label}:host`)
  return [
    "printf '%s\\n' 'runner:' \\",
    ...Object.entries(RUNNER_SETTINGS).map(([name, value]) => `  '  ${name}: ${value}' \\`),
    `  > ${FILE}`,
    `gitea-runner --config ${FILE} register --no-interactive --instance ${site_url} \\`,
    `  --token ${token} --name ${quoted(name)} --labels ${quoted(declared.join(','))}`,
    `gitea-runner --config ${FILE} daemon`,
  ].join('\n')
}
