/** Starts and ends the processes of commands. */
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JobDirectory } from './job-directory.ts'
import { findDescendants } from './process-tree.ts'
import {
  sandboxFiles,
  type SandboxLayout,
  type SandboxOptions,
  type SandboxSettings,
} from './sandbox.ts'

/** How long output may still come after the command has ended. */
export const DRAIN_MS = 2_000

export type Child = Bun.Subprocess<'ignore' | 'pipe', 'pipe', 'ignore' | 'pipe'>

/** Sends a signal; does nothing when the process has ended. */
export function signalProcess(pid: number, name: NodeJS.Signals): void {
  // Pid 0 would mean this process and its group.
  if (pid === 0) return
  try {
    process.kill(pid, name)
  } catch {
    // The process has ended already.
  }
}

export const readFileOr = (path: string, otherwise: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}

/** Kills a process, its descendants and its process group. */
export const killTree = (child: Child): void =>
  [...findDescendants(child.pid), -child.pid, child.pid].forEach((pid) =>
    signalProcess(pid, 'SIGKILL'),
  )

/**
 * The first process of the sandbox's pid namespace, with its id outside of it; 0 when there is
 * none. `status` is the file that bubblewrap writes.
 */
export function firstProcess(child: Child, status: string): number {
  const first = Number(/"child-pid":\s*(\d+)/.exec(readFileOr(status, ''))?.[1] ?? 0)
  return first > 0 && findDescendants(child.pid).includes(first) ? first : 0
}

/**
 * Kills the first process of the sandbox's pid namespace; the kernel then kills all others in it.
 * The processes that read the output survive and pass its last bytes on.
 */
export function killSandbox(child: Child, status: string): void {
  const first = firstProcess(child, status)
  if (first > 0) signalProcess(first, 'SIGKILL')
  else killTree(child)
}

/** Whether a sandbox was created: bubblewrap reports an exit code only of a program that ran. */
export const readExitCode = async (status: string): Promise<number | null> => {
  // The status has one JSON document per line.
  const code = /"exit-code":\s*(\d+)/.exec(await readFile(status, 'utf8'))?.[1]
  return code === undefined ? null : Number(code)
}

/** Writes the files that a sandbox reads, and returns the options that depend on the machine. */
export async function prepareSandbox(
  directory: JobDirectory,
  layout: SandboxLayout,
  settings: SandboxSettings,
): Promise<
  Pick<
    SandboxOptions,
    'status' | 'seccomp' | 'uid' | 'bubblewrap' | 'network' | 'readable' | 'hidden' | 'procsFiles'
  >
> {
  const status = join(directory.folder, 'status')
  const seccomp = settings.seccomp === null ? null : join(directory.folder, 'seccomp')
  await writeFile(status, '')
  if (seccomp !== null && settings.seccomp !== null) await writeFile(seccomp, settings.seccomp)
  for (const [path, text] of Object.entries(sandboxFiles(directory, layout, settings.network)))
    await writeFile(path, text)
  return {
    status,
    seccomp,
    uid: settings.uid,
    bubblewrap: settings.bubblewrap,
    network: settings.network,
    readable: settings.readable,
    hidden: settings.hidden,
    procsFiles: settings.group?.procsFiles ?? [],
  }
}
