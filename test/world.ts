/**
 * A forge for tests: a real database and git engine in a temporary directory, a fixed clock and
 * named people. It seeds data of trunk features, through the operations that a user would call.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'bun:test'
import { openHearth } from '#src/app.ts'
import type {
  AgentCaller,
  Caller,
  Role,
  SignedIn,
  TokenFacts,
  UserCaller,
  WorkspaceCaller,
} from '#core/caller.ts'
import { call, type CallOptions, type Typed } from '#core/operation.ts'
import type { EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Settings } from '#core/settings.ts'
import { newDatabase } from './new-database.ts'
import { START, testSettings } from './settings.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import { silentLog } from '#lib/log.ts'
import { resetIdSequence, typeId } from '#lib/typeid.ts'
import { Value } from 'typebox/value'

export type World = Awaited<ReturnType<typeof makeWorld>>

export async function makeWorld(change: Partial<Settings> = {}) {
  // Ids of another test in this process may be later than this clock.
  resetIdSequence()
  const data = mkdtempSync(join(tmpdir(), 'hearth-world-'))
  const clock = {
    at: START,
    now: () => clock.at,
    advance: (milliseconds: number) => void (clock.at += milliseconds),
  }
  const databasePath = join(data, 'hearth.db')
  writeFileSync(databasePath, newDatabase())
  const hearth: Hearth = openHearth({
    settings: testSettings(data, change),
    log: silentLog,
    clock,
    databasePath,
  })
  const people = new Map<string, UserCaller>()

  const world = {
    hearth,
    clock,
    data,

    /** Calls an operation as the HTTP server does, and validates its output. */
    async call<I, O>(
      operation: Typed<I, O>,
      caller: Caller,
      input: NoInfer<I>,
      options: CallOptions = {},
    ): Promise<O> {
      const output = await call(hearth, operation, caller, input, options)
      if (!Value.Check(operation.output, output)) {
        const [first] = Value.Errors(operation.output, output)
        throw new Error(
          `the answer of ${operation.name} is not as its schema says: ${first?.instancePath} ${first?.message}: ${JSON.stringify(output)}`,
        )
      }
      return output
    },

    /** Runs one transaction of the forge itself, for seeding. */
    write: <T>(run: (tx: Tx) => T, caller: Caller | null = null): Promise<T> =>
      writeAs(hearth, caller, run as never),

    /** A person with a confirmed address (unless `verified` is false), created once per name. */
    async user(
      username: string,
      options: { verified?: boolean; site_admin?: boolean } = {},
    ): Promise<UserCaller> {
      const known = people.get(username)
      if (known) return known
      const id = typeId('usr', clock.now())
      const { insertUser } = await import('#features/accounts/store/users.ts')
      await world.write((tx) =>
        insertUser(tx, {
          id,
          username,
          email: `${username}@example.com`,
          name: null,
          password_hash: null,
          verified: options.verified ?? true,
          site_admin: options.site_admin ?? false,
        }),
      )
      const person: UserCaller = {
        kind: 'user',
        id,
        username,
        verified: options.verified ?? true,
        suspended: false,
        site_admin: options.site_admin ?? false,
        token: null,
        sign_in: null,
      }
      people.set(username, person)
      return person
    },

    /** A workspace owned by a person; `members` join it. */
    async workspace(slug: string, options: { owner?: UserCaller; members?: UserCaller[] } = {}) {
      const { createWorkspace } = await import('#features/workspaces/create-workspace.ts')
      const { addMember } = await import('#features/workspaces/index.ts')
      const workspace = await world.call(
        createWorkspace,
        options.owner ?? (await world.user('ada')),
        { slug },
      )
      for (const member of options.members ?? [])
        await world.write((tx) =>
          addMember(tx, { workspace_id: workspace.id, user_id: member.id, role: 'member' }),
        )
      return workspace
    },

    /** A repository `<workspace>/<name>`, public unless said. */
    async repo(fullName: string, options: { as?: SignedIn; private?: boolean } = {}) {
      const { createRepo } = await import('#features/repos/lifecycle/create-repo.ts')
      const [workspace = '', name = ''] = fullName.split('/')
      return world.call(createRepo, options.as ?? (await world.user('ada')), {
        workspace,
        name,
        private: options.private ?? false,
      })
    },

    /**
     * A commit on a branch (made when it does not exist), pushed as git would push it. Gives its
     * id.
     */
    async commit(
      fullName: string,
      branch: string,
      files: Record<string, string | null>,
      options: { as?: SignedIn; message?: string; time?: number } = {},
    ): Promise<string> {
      const { moveRefs, prepareUpdates, readRef, repoByPath } = await import(
        '#features/repos/index.ts'
      )
      const caller = options.as ?? (await world.user('ada'))
      const repo = repoByPath(hearth.db, fullName)
      if (!repo) throw new Error(`no repository ${fullName}`)
      const name = `refs/heads/${branch}`
      const parent = readRef(hearth.db, repo.id, name)
      const author = {
        name: caller.username,
        email: `${caller.username}@example.com`,
        time: options.time ?? Math.floor(clock.now() / 1000),
        zone: '+0000',
      }
      const changes = Object.entries(files).map(([path, text]) =>
        text === null
          ? { action: 'delete' as const, path }
          : { action: 'put' as const, path, data: new TextEncoder().encode(text) },
      )
      const { commit } = await hearth.git.commitFiles(repo.store, {
        parent,
        changes,
        message: options.message ?? 'Change files',
        author,
        committer: author,
      })
      const prepared = await prepareUpdates(hearth, repo, [{ name, old: parent, new: commit }])
      await world.write((tx) => moveRefs(tx, repo, prepared), caller)
      return commit
    },

    /** Events in the order they happened, of one type or all. */
    events(type?: string): EventRow[] {
      const rows = hearth.db.all<{ data: string } & Omit<EventRow, 'data'>>(
        'SELECT * FROM events WHERE ?1 IS NULL OR type = ?1 ORDER BY id',
        type ?? null,
      )
      return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }))
    },

    /** Runs all jobs that are due now. */
    jobs: () => hearth.jobs.idle(),

    async close(): Promise<void> {
      await hearth.close()
      // On demand, since it takes as long as the tests themselves: git judges every store that they
      // made.
      if (process.env.SOUND_STORES === '1')
        await (await import('./git/support/sound.ts')).expectSound(join(data, 'repos'))
      rmSync(data, { recursive: true, force: true })
    },
  }
  afterAll(() => world.close())
  return world
}

const facts = (kind: TokenFacts['kind'], change: Partial<TokenFacts>): TokenFacts => ({
  id: typeId('tok', START),
  name: 'test',
  kind,
  scopes: null,
  repos: null,
  workspace: null,
  role: null,
  expires_at: null,
  ...change,
})

/** The same person through a narrowed token. */
export const withToken = (person: UserCaller, change: Partial<TokenFacts>): UserCaller => ({
  ...person,
  token: facts('user', change),
})

/** An agent started by a person in one repository. */
export const agentOf = (
  owner: UserCaller,
  repo: { id: string },
  change: { id: string; name?: string; role?: Role; scopes?: string[] | null },
): AgentCaller => ({
  kind: 'agent',
  id: change.id,
  username: `${owner.username}/${change.name ?? 'bot'}`,
  repo_id: repo.id,
  owner_id: owner.id,
  owner_username: owner.username,
  token: facts('agent', {
    repos: [repo.id],
    role: change.role ?? 'write',
    scopes: change.scopes ?? null,
  }),
})

export const workspaceCaller = (
  workspace: { id: string; slug: string },
  change: Partial<TokenFacts> = {},
): WorkspaceCaller => ({
  kind: 'workspace',
  id: workspace.id,
  username: workspace.slug,
  token: facts('workspace', {
    workspace: workspace.id,
    role: 'write',
    scopes: ['repo:read'],
    ...change,
  }),
})

/** The refusal that a promise ends in; fails when it ends well or in a bug. */
export async function refusal(promise: Promise<unknown>): Promise<Refusal> {
  const error = await promise.then(
    (value) => new Error(`expected a refusal, got ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  )
  if (error instanceof Refusal) return error
  throw error
}
