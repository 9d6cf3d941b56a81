/**
 * Clients of other authors against the built executable, with a token: clone, fetch what is new,
 * push, and shallow and partial clones where they can. After each, real git looks whether the
 * client has exactly the objects that it must have. Prints a table.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHistory } from '../git/support/history.ts'
import { prepareTools, type Tool } from './git-clients/tools.ts'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { git, runGit, withToken } from '../../scripts/support/git.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  tools: {
    kind: 'text',
    default: '',
    help: 'Where clients are installed, to be used again; a temporary directory unless given.',
  },
  git: { kind: 'text', default: '', help: 'More programs of git, with commas between.' },
  gix: { kind: 'text', default: '', help: 'The program of gitoxide.' },
} as const satisfies Record<string, Option>

const ACTIONS = ['clone', 'fetch', 'push', 'shallow', 'filter'] as const
type Action = (typeof ACTIONS)[number]
type Place = { readonly url: string; readonly token: string }
type Client = {
  readonly name: string
  /** It sends no password in the clear, so it reads what everybody may. */
  readonly anonymous?: true
  version(): Promise<string>
  run(action: Action, directory: string, place: Place, ref: string): Promise<Said>
}
type Said = { readonly status: number; readonly error: string }

/** It cannot do that, and says so. */
const UNABLE = 3

async function spawn(
  command: readonly string[],
  env: Record<string, string> = {},
): Promise<Said & { out: string }> {
  const child = Bun.spawn([...command], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: tmpdir(),
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const timer = setTimeout(() => child.kill(), 300_000)
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  clearTimeout(timer)
  return { status, error: error.trim().split('\n').slice(-2).join(' '), out }
}

const ofTool = ({ name, command, why }: Tool): Client => ({
  name,
  version: async () =>
    command === null
      ? (why ?? '')
      : (await spawn([...command, 'version', '-', '-', '-', '-'])).out.trim(),
  run: async (action, directory, { url, token }, ref) =>
    command === null
      ? { status: UNABLE, error: why ?? '' }
      : await spawn([...command, action, directory, url, 'x', token, ref]),
})

function ofGit(program: string): Client {
  return {
    name: 'git',
    version: async () => (await spawn([program, 'version'])).out.replace('git version', '').trim(),
    run: async (action, directory, { url, token }, ref) => {
      const address = withToken(url, token)
      if (action === 'fetch')
        return await spawn([program, '-C', directory, 'fetch', '-q', address, '+refs/*:refs/*'])
      if (action === 'push')
        return await spawn([program, '-C', directory, 'push', '-q', address, `${ref}:${ref}`])
      const how = {
        clone: ['--mirror'],
        shallow: ['--bare', '--depth=1'],
        filter: ['--bare', '--filter=blob:none'],
      }[action]
      return await spawn([program, 'clone', '-q', ...how, address, directory])
    },
  }
}

function ofGix(program: string): Client {
  return {
    name: 'gitoxide',
    anonymous: true,
    version: async () => (await spawn([program, '--version'])).out.replace('gix', '').trim(),
    run: async (action, directory, { url }) => {
      if (action === 'clone') return await spawn([program, 'clone', '--bare', url, directory])
      if (action === 'shallow')
        return await spawn([program, 'clone', '--bare', '--depth', '1', url, directory])
      if (action === 'fetch')
        return await spawn([
          program,
          '-r',
          directory,
          'fetch',
          '+refs/heads/*:refs/remotes/origin/*',
        ])
      return { status: UNABLE, error: 'not supported' }
    },
  }
}

const objectsIn = async (directory: string, ...refs: string[]): Promise<string> =>
  [
    ...new Set(
      (await git(directory, 'rev-list', '--objects', '--no-object-names', ...refs))
        .split('\n')
        .filter(Boolean),
    ),
  ]
    .sort()
    .join('\n')

/** A commit on top of main with a new file, made by real git. */
async function newCommit(directory: string, parent: string, text: string): Promise<string> {
  const blob = (await runGit(directory, ['hash-object', '-w', '--stdin'], text)).out.trim()
  const tree = (await runGit(directory, ['mktree'], `100644 blob ${blob}\tnew.txt\n`)).out.trim()
  return (await git(directory, 'commit-tree', tree, '-p', parent, '-m', text)).trim()
}

async function tryClient(
  client: Client,
  work: string,
  server: string,
  api: (name: string, hidden: boolean) => Promise<Place>,
): Promise<string[]> {
  const place = await api(
    `for-${client.name}-${crypto.randomUUID().slice(0, 6)}`.toLowerCase(),
    !client.anonymous,
  )
  const address = withToken(place.url, place.token)
  await git(server, 'push', '-q', address, 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*')
  const base = mkdtempSync(join(work, 'client-'))
  const directory = join(base, 'clone')
  const cells: string[] = []
  const cell = async (
    action: Action,
    at: string,
    ref: string,
    check: () => Promise<string | null>,
  ): Promise<void> => {
    const { status, error } = await client.run(action, at, place, ref)
    if (status === UNABLE) cells.push('–')
    else if (status !== 0) cells.push(`FAILED: ${error.slice(0, 200)}`)
    else cells.push((await check().catch((fault: Error) => fault.message)) ?? 'yes')
  }
  const same = async (): Promise<string | null> => {
    // What the refs of the server reach must be there, in whatever refs the client keeps them.
    const tips = (await git(base, 'ls-remote', address))
      .split('\n')
      .filter((line) => /\trefs\/(heads|tags)\/[^^]*$/.test(line))
      .map((line) => line.split('\t')[0] ?? '')
    const [theirs, ours] = await Promise.all([
      objectsIn(directory, ...tips),
      objectsIn(server, ...tips),
    ])
    const fsck = await runGit(directory, ['fsck', '--full', '--no-dangling', '--no-progress'])
    return theirs !== ours
      ? 'OTHER OBJECTS'
      : fsck.status !== 0
        ? `FSCK: ${fsck.error.slice(0, 200)}`
        : null
  }
  await cell('clone', directory, '', same)
  if (cells[0] === 'yes') {
    const main = (await git(server, 'rev-parse', 'main')).trim()
    const fresh = await newCommit(server, main, `for ${client.name}\n`)
    await git(server, 'push', '-q', address, `${fresh}:refs/heads/fresh`)
    await cell('fetch', directory, '', same)
    const mine = await newCommit(directory, main, `from ${client.name}\n`)
    await git(directory, 'update-ref', 'refs/heads/mine', mine)
    await cell('push', directory, 'refs/heads/mine', async () => {
      await git(server, 'fetch', '-q', address, 'refs/heads/mine')
      return (await git(server, 'rev-parse', 'FETCH_HEAD')).trim() === mine
        ? null
        : 'ANOTHER COMMIT'
    })
  } else cells.push('', '')
  const shallow = join(base, 'shallow')
  await cell('shallow', shallow, '', async () => {
    const main = (await git(server, 'rev-parse', 'main')).trim()
    const count = (await git(shallow, 'rev-list', '--count', main)).trim()
    return count === '1' ? null : `${count} COMMITS`
  })
  const partial = join(base, 'partial')
  await cell('filter', partial, '', async () => {
    const main = (await git(server, 'rev-parse', 'main')).trim()
    const missing = (await runGit(partial, ['rev-list', '--objects', '--missing=print', main])).out
      .split('\n')
      .filter((line) => line.startsWith('?')).length
    return missing > 0 ? null : 'ALL BLOBS CAME'
  })
  rmSync(base, { recursive: true, force: true })
  return cells
}

await runScript('bun test/system/git-clients.ts [options]', OPTIONS, async (options) => {
  const executable = requireBuilt(options.executable)
  const work = mkdtempSync(join(tmpdir(), 'hearth-clients-'))
  const tools = options.tools === '' ? join(work, 'tools') : options.tools
  mkdirSync(tools, { recursive: true })
  const forge = await startForge({ executable, data: join(work, 'data'), log: join(work, 'log') })
  let failed = 0
  try {
    const { token } = await claim(forge)
    const server = await makeHistory(work, 'server', { seed: 42, commits: 150, files: 60 })
    const api = async (name: string, hidden: boolean): Promise<Place> => {
      const response = await fetch(`${forge.url}/api/v1/repos`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ workspace: OWNER.workspace, name, private: hidden }),
      })
      if (!response.ok)
        throw new Error(`a repository was not made: ${response.status} ${await response.text()}`)
      return { url: `${forge.url}/${OWNER.workspace}/${name}.git`, token }
    }
    const more = options.git.split(',').filter((program) => program !== '' && existsSync(program))
    const clients = [
      ofGit('git'),
      ...more.map(ofGit),
      ...prepareTools(tools).map(ofTool),
      ...(options.gix === '' ? [] : [ofGix(options.gix)]),
    ]
    process.stdout.write(
      `| Client | Version | ${ACTIONS.join(' | ')} |\n| --- | --- | ${ACTIONS.map(() => '---').join(' | ')} |\n`,
    )
    for (const client of clients) {
      const cells = await tryClient(client, work, server, api).catch((error: Error) => [
        `FAILED: ${error.message.slice(0, 200)}`,
      ])
      failed += cells.filter((cell) => cell !== 'yes' && cell !== '–').length
      process.stdout.write(
        `| ${client.name} | ${await client.version()} | ${cells.join(' | ')} |\n`,
      )
    }
  } finally {
    await forge.stop()
    rmSync(work, { recursive: true, force: true })
  }
  return failed === 0 ? 0 : 1
})
