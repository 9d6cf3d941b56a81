/** Real git, without anybody's configuration. */

const PERSON = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

export class GitFailed extends Error {
  constructor(
    command: string,
    readonly status: number,
    readonly said: string,
  ) {
    super(`git ${command} ended with ${status}: ${said.trim().slice(0, 2000)}`)
  }
}

export type GitRun = { readonly status: number; readonly out: string; readonly error: string }

/** Runs git and gives what it said, whatever its status. */
export async function runGit(
  cwd: string,
  args: readonly string[],
  input?: string,
): Promise<GitRun> {
  const child = Bun.spawn(['git', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...args], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      TZ: 'UTC',
      ...PERSON,
    },
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, out, error }
}

/** Runs git and gives its output. Throws GitFailed unless it ends with 0. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const { status, out, error } = await runGit(cwd, args)
  if (status !== 0) throw new GitFailed(args.join(' '), status, error)
  return out
}

/** An address with a token in it, as a person would paste it. */
export const withToken = (url: string, token: string): string =>
  url.replace('://', `://x:${token}@`)
