/**
 * Resident memory of a process, and what its parts cost (Linux: proc(5), /proc/pid/status and
 * smaps).
 */
import { readFileSync } from 'node:fs'

/**
 * MiB. `code` is what is mapped from files, mostly the program itself, which processes of one
 * program share.
 */
export type Memory = { readonly resident: number; readonly own: number; readonly code: number }

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
  return {
    resident: field('VmRSS'),
    own: field('RssAnon') + field('RssShmem'),
    code: field('RssFile'),
  }
}

export const threadsOf = (pid: number): number =>
  Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)

/**
 * Memory of a JavaScript program that does nothing more once it has said so. `program` is Bun or an
 * executable made by it.
 */
export async function memoryOfScript(program: string, script: string): Promise<Memory> {
  const child = Bun.spawn(
    [program, '-e', `${script}; process.stdout.write('ready\\n'); setInterval(() => {}, 1e9)`],
    {
      // With this variable an executable that Bun made is Bun itself.
      env: { BUN_BE_BUN: '1', PATH: '/nonexistent', HOME: '/nonexistent' },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  try {
    const said = await child.stdout.getReader().read()
    if (said.done) throw new Error(`the script ended: ${await new Response(child.stderr).text()}`)
    await Bun.sleep(2000)
    return memoryOf(child.pid)
  } finally {
    child.kill()
    await child.exited
  }
}
