/** The network of a container, limited while none of its programs runs. */
import { internetFiles, type Network } from '../network.ts'
import type { Environment } from './client.ts'

/** A command in the network namespace of a process of a container. */
export const inNetworkOf = (pid: number, command: readonly string[]): string[] => [
  ...['nsenter', `--net=/proc/${pid}/ns/net`],
  ...command,
]

/** Services always have a network, because the job reaches their ports by it; `open` stays open. */
export function rulesOf(
  network: Network,
  { isOfSteps, open = [] }: { readonly isOfSteps: boolean; readonly open?: readonly string[] },
): string | null {
  if (network === 'internet') return internetFiles().rules
  if (network === 'machine' || isOfSteps) return null
  const exceptions = open.map((address) => `rule add pref 10 to ${address} lookup main\n`)
  return `${exceptions.join('')}rule add pref 20 to 0.0.0.0/0 unreachable\n`
}

/** Throws an Error unless the rules hold. */
export async function limitNetwork(
  pid: number,
  rules: string,
  { prefix, env }: { readonly prefix: readonly string[]; readonly env: Environment },
): Promise<void> {
  const child = Bun.spawn([...prefix, ...inNetworkOf(pid, ['ip', '-batch', '-'])], {
    env: { ...env },
    stdin: Buffer.from(rules),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  if ((await child.exited) !== 0)
    throw new Error(`the network of a container could not be limited: ${said.trim().slice(0, 200)}`)
}
