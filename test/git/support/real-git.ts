/** The real git as a client and an oracle. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}

export type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** Runs git and gives what it said, whatever its exit code. */
export async function tryGit(
  directory: string,
  args: readonly string[],
  options: { input?: Uint8Array | string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = Bun.spawn(
    [
      'git',
      '-c',
      'init.defaultBranch=main',
      '-c',
      'protocol.file.allow=always',
      '-c',
      'gc.auto=0',
      '-c',
      'maintenance.auto=false',
      ...args,
    ],
    {
      cwd: directory,
      env: { ...env, ...options.env },
      stdin: options.input === undefined ? 'ignore' : Buffer.from(options.input),
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

/** Runs git and gives its output; fails the test when git fails. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const ran = await tryGit(directory, args)
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')}: ${ran.code}\n${ran.err}${ran.out}`)
  return ran.out.trimEnd()
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'hearth-work-'))
}

export const discard = (directory: string): void =>
  rmSync(directory, { recursive: true, force: true })
