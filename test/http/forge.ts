/**
 * A running server over a registry of its own, so that the doors are tested without any feature.
 */
import { afterAll } from 'bun:test'
import {
  eitherAs,
  personOnly,
  publicRead,
  publicWrite,
  readsRepo,
  signedIn,
  writesRepo,
  limitRepoFacts,
  limitWorkspaceFacts,
  type RepoFacts,
} from '#core/access.ts'
import type { AgentCaller, Caller, TokenFacts, UserCaller } from '#core/caller.ts'
import { openDatabase } from '#core/db.ts'
import { createHearth, type Hearth } from '#core/hearth.ts'
import { migrate, migrations } from '#core/migrate.ts'
import { operation, type Operation } from '#core/operation.ts'
import {
  afterOf,
  beforeOf,
  byAfter,
  byBefore,
  byPage,
  keyPageOf,
  pageOf,
  windowOf,
} from '#core/page.ts'
import {
  Actor,
  FreeForm,
  ListOf,
  Nothing,
  Nullable,
  OneOf,
  RepoPath,
  restName,
  Type,
  WorkspaceSlug,
} from '#core/schema.ts'
import type { Settings } from '#core/settings.ts'
import type { Git } from '#git'
import { startServer, type Fallbacks } from '#http/server.ts'
import { getVersion } from '#http/version.ts'
import { conflict, notFound } from '#lib/errors.ts'
import type { Log, LogFields } from '#lib/log.ts'
import { START, testSettings } from '../settings.ts'

const Note = Type.Object(
  {
    id: Type.String(),
    seq: Type.Integer(),
    body: Type.String(),
    resolved_by: Type.Union([Type.Integer(), Type.Null()], restName('resolvedBy')),
  },
  { $id: 'Note' },
)

export const NOTES = Array.from({ length: 7 }, (_, index) => ({
  id: `evt_${String(index + 1).padStart(26, '0')}`,
  seq: index + 1,
  body: index === 0 ? 'long '.repeat(100) : `note ${index + 1}`,
  resolved_by: index === 0 ? 3 : null,
}))

/** What the forge of the tests remembers between calls. */
export type Memory = { made: Record<string, unknown>[]; ran: string[] }

function operationsOf(memory: Memory): Operation[] {
  return [
    getVersion,
    operation({
      name: 'whoami',
      summary: 'Says who calls.',
      route: 'GET /v1/user',
      aliases: ['get_me'],
      listed: 'core',
      access: signedIn(),
      input: Type.Object({}),
      output: Actor,
      handler: ({ caller }) => {
        memory.ran.push('whoami')
        return {
          id: caller.id,
          kind: caller.kind,
          username: caller.username,
          name: null,
          avatar_url: '',
          on_behalf_of: null,
        }
      },
    }),
    operation({
      name: 'update_profile',
      summary: 'Changes the profile; people only.',
      route: 'PATCH /user',
      access: personOnly({ writes: true, scope: 'user:write' }),
      input: Type.Object({ time_zone: Type.Optional(Type.String({ maxLength: 10 })) }),
      output: Type.Object({ time_zone: Nullable(Type.String()) }),
      handler: (_, input) => ({ time_zone: input.time_zone ?? null }),
    }),
    operation({
      name: 'list_notes',
      summary: 'Lists notes.',
      route: 'GET /v1/repos/{owner}/{name}/notes',
      access: readsRepo(),
      list: 'page',
      toolset: 'issues',
      input: Type.Object({
        repo: RepoPath,
        state: Type.Optional(OneOf(['open', 'closed'])),
        labels: Type.Optional(Type.Array(Type.String())),
        is_pinned: Type.Optional(Type.Boolean()),
        ...byPage({ size: 3 }),
      }),
      output: ListOf(Note),
      untrusted: (list) => list.items.map((_, index) => `/items/${index}/body`),
      handler: (_, input) => {
        const page = windowOf(input, { size: 3 })
        return pageOf(
          NOTES.slice(page.offset, page.offset + page.limit + 1),
          page,
          input.state === 'closed' ? undefined : NOTES.length,
        )
      },
    }),
    operation({
      name: 'list_note_events',
      summary: 'Lists events of notes.',
      route: 'GET /repos/{owner}/{name}/note-events',
      access: readsRepo(),
      list: 'before',
      input: Type.Object({ repo: RepoPath, ...byBefore({ size: 2 }) }),
      output: ListOf(Note),
      handler: (_, input) => {
        const { before, limit } = beforeOf(input, 'evt', { size: 2 })
        const older = NOTES.filter(({ id }) => before === null || id < before).reverse()
        return keyPageOf(older.slice(0, limit + 1), limit, ({ id }) => id)
      },
    }),
    operation({
      name: 'list_note_entries',
      summary: 'Lists entries.',
      route: 'GET /repos/{owner}/{name}/note-entries',
      access: readsRepo(),
      list: 'after',
      input: Type.Object({ repo: RepoPath, ...byAfter({ size: 4 }) }),
      output: ListOf(Note),
      handler: (_, input) => {
        const { after, limit } = afterOf(input, { size: 4 })
        return keyPageOf(
          NOTES.filter(({ seq }) => seq > after).slice(0, limit + 1),
          limit,
          ({ seq }) => seq,
        )
      },
    }),
    operation({
      name: 'get_note',
      summary: 'Reads one note.',
      route: 'GET /v1/repos/{owner}/{name}/notes/{number}',
      access: readsRepo(),
      input: Type.Object({ repo: RepoPath, number: Type.Integer({ minimum: 1 }) }),
      output: Type.Object({ note: Note, others: Type.Array(Note) }),
      untrusted: () => ['/note/body'],
      handler: (_, { number }) => {
        const note = NOTES[number - 1]
        if (!note) throw notFound(`note ${number}`)
        return { note, others: NOTES.slice(0, 2) }
      },
    }),
    operation({
      name: 'create_note',
      summary: 'Makes a note.',
      route: 'POST /v1/repos/{owner}/{name}/notes',
      access: writesRepo('write', { scope: 'issues:write' }),
      status: 201,
      aliases: ['add_note'],
      input: Type.Object({
        repo: RepoPath,
        title: Type.String({ minLength: 1, maxLength: 20 }),
        due_on: Type.Optional(Nullable(Type.String())),
        entries: Type.Optional(
          Type.Array(
            Type.Object(
              { tool_name: Type.String(), data: Type.Optional(FreeForm()) },
              { additionalProperties: false },
            ),
          ),
        ),
      }),
      output: Type.Object({ made: Type.Integer(), input: Type.Unknown() }),
      handler: (_, input) => {
        memory.made.push(input)
        if (input.title === 'bug') throw new Error('a secret of the inside')
        if (input.title === 'clash') throw conflict('already_exists', 'there is one', { number: 4 })
        return { made: memory.made.length, input }
      },
    }),
    operation({
      name: 'rename_note',
      summary: 'Renames.',
      route: 'POST /repos/{owner}/{name}/rename',
      access: writesRepo('admin'),
      input: Type.Object({ repo: RepoPath, name: Type.String() }),
      output: Type.Object({ repo: Type.String(), name: Type.String() }),
      handler: ({ repo }, { name }) => ({ repo: repo.full_name, name }),
    }),
    operation({
      name: 'delete_note',
      summary: 'Deletes a note for good.',
      route: 'DELETE /repos/{owner}/{name}/notes/{label}',
      access: writesRepo('write'),
      status: 204,
      annotations: { destructive: true },
      input: Type.Object({
        repo: RepoPath,
        label: Type.String(),
        confirm: Type.String(),
        force_it: Type.Optional(Type.Boolean()),
      }),
      output: Nothing,
      handler: (_, input) => {
        memory.made.push(input)
        return null
      },
    }),
    operation({
      name: 'get_file',
      summary: 'Reads a file.',
      route: 'GET /repos/{owner}/{name}/contents/{path}',
      access: readsRepo({ scope: 'code:read' }),
      aliases: ['get_file_contents'],
      toolset: 'code',
      listed: 'core',
      input: Type.Object({
        repo: RepoPath,
        path: Type.String({ minLength: 1 }),
        ref: Type.Optional(Type.String()),
      }),
      output: Type.Object({
        repo: Type.String(),
        path: Type.String(),
        ref: Nullable(Type.String()),
        encoding: Type.String(),
        content: Type.String(),
      }),
      handler: ({ repo }, { path, ref }) => ({
        repo: repo.full_name,
        path,
        ref: ref ?? null,
        encoding: 'utf-8',
        content: path === 'big.txt' ? 'a line of text\n'.repeat(5000) : 'text',
      }),
    }),
    operation({
      name: 'get_link',
      summary: 'Gives a link.',
      route: 'GET /repos/{owner}/{name}/zipball/{ref}',
      access: readsRepo(),
      input: Type.Object({ repo: RepoPath, ref: Type.String() }),
      output: Type.Object({ url: Type.String() }),
      redirect: ({ url }) => url,
      handler: (_, { ref }) => ({ url: `https://hearth.test/archive/${encodeURIComponent(ref)}` }),
    }),
    operation({
      name: 'set_hook',
      summary: 'Sets a hook.',
      route: ['PUT /repos/{owner}/{name}/hook', 'PUT /workspaces/{workspace}/hook'],
      access: eitherAs('admin', 'owner', { writes: true }),
      input: Type.Object({
        repo: Type.Optional(RepoPath),
        workspace: Type.Optional(WorkspaceSlug),
        url: Type.String(),
      }),
      output: Type.Object({ of: Type.String() }),
      handler: ({ repo, workspace }) => ({
        of: repo ? `repo ${repo.full_name}` : `workspace ${workspace?.slug}`,
      }),
    }),
    operation({
      name: 'create_code',
      summary: 'Makes a code.',
      route: 'POST /v1/device/code',
      tool: false,
      access: publicWrite(),
      bodyLimit: 4096,
      input: Type.Object({ client_name: Type.Optional(Type.String()) }),
      output: Type.Object({ client: Nullable(Type.String()) }),
      handler: (_, { client_name }) => ({ client: client_name ?? null }),
    }),
    operation({
      name: 'count_up',
      summary: 'Counts.',
      route: 'GET /count',
      access: signedIn(),
      progress: true,
      input: Type.Object({ to: Type.Integer() }),
      output: Type.Object({ counted: Type.Integer() }),
      handler: async ({ progress }, { to }) => {
        for (let done = 1; done <= to; done++) {
          progress(done, to, done === to ? 'done' : undefined)
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { counted: to }
      },
    }),
    operation({
      name: 'wait_for_end',
      summary: 'Waits.',
      route: 'GET /wait',
      access: publicRead(),
      input: Type.Object({ ms: Type.Integer() }),
      output: Type.Object({ waited: Type.Integer() }),
      handler: async (_, { ms }) => {
        memory.ran.push('wait_for_end')
        await Bun.sleep(ms)
        return { waited: ms }
      },
    }),
  ]
}

const token = (id: string, change: Partial<TokenFacts> = {}): TokenFacts => ({
  id,
  name: 'test',
  kind: 'user',
  scopes: null,
  repos: null,
  workspace: null,
  role: null,
  expires_at: null,
  ...change,
})

export const ada: UserCaller = {
  kind: 'user',
  id: 'usr_ada',
  username: 'ada',
  verified: true,
  suspended: false,
  site_admin: false,
  token: token('tok_ada'),
  sign_in: null,
}
export const bob: UserCaller = { ...ada, id: 'usr_bob', username: 'bob', token: token('tok_bob') }
export const reader: UserCaller = { ...ada, token: token('tok_reader', { scopes: ['repo:read'] }) }
export const robot: AgentCaller = {
  kind: 'agent',
  id: 'agt_robot',
  username: 'ada/robot',
  repo_id: 'rep_site',
  owner_id: ada.id,
  owner_username: 'ada',
  token: token('tok_robot', { kind: 'agent', role: 'write' }),
}

/** Secrets of the callers. */
export const SECRETS: Record<string, Caller> = {
  'ada-secret': ada,
  'bob-secret': bob,
  'reader-secret': reader,
  'robot-secret': robot,
}

const repoOf = (path: string, caller: Caller): RepoFacts | null => {
  const [workspace = '', name = ''] = path.split('/')
  if (workspace !== 'acme' || !['site', 'hidden', 'site%2'].includes(name)) return null
  const own = caller.kind !== 'anonymous' && (caller.id === ada.id || caller.id === robot.id)
  const facts = {
    id: name === 'site' ? 'rep_site' : 'rep_hidden',
    full_name: path,
    name,
    workspace_id: 'wsp_acme',
    workspace,
    private: name === 'hidden',
    archived: false,
    deleted: false,
    role: own ? ('admin' as const) : null,
    workspace_role: own ? ('owner' as const) : null,
    default_branch: 'main',
    store: 'rep_site',
    parent_id: null,
    pull_number: null,
    two_factor_missing: false,
  }
  return limitRepoFacts(facts, caller)
}

export type Line = { level: string; message: string; fields: LogFields }

export function makeForge(change: Partial<Settings> = {}, fallbacks: Fallbacks = {}) {
  const memory: Memory = { made: [], ran: [] }
  const lines: Line[] = []
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields })
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  }
  const database = openDatabase({ path: ':memory:' })
  migrate(database, '2026-01-01T00:00:00.000Z', migrations.slice(0, 1))
  const hearth: Hearth = createHearth({
    settings: testSettings('/nowhere', change),
    log,
    clock: { now: () => START },
    database,
    git: { close: async () => {} } as unknown as Git,
    features: [{ name: 'test', operations: operationsOf(memory) }],
    facts: {
      repo: repoOf,
      departed: () => null,
      isSecurityManager: () => false,
      isInvitedToAdvisory: () => false,
      package: () => null,
      moved: (path) =>
        path.toLowerCase().startsWith('acme/old')
          ? `acme/site${path.slice(8)}`
          : path === 'acme/secret'
            ? 'acme/hidden'
            : null,
      workspace: (slug, caller) =>
        slug === 'acme'
          ? limitWorkspaceFacts(
              {
                id: 'wsp_acme',
                slug,
                role: caller.kind !== 'anonymous' && caller.id === ada.id ? 'owner' : null,
                two_factor_missing: false,
              },
              caller,
            )
          : null,
    },
    callers: () => ({
      byToken: (secret) => SECRETS[secret] ?? null,
      bySignIn: (secret) => SECRETS[`${secret}-secret`] ?? null,
      byCredential: () => null,
      bySshKey: () => null,
    }),
  })
  const server = startServer({ host: '127.0.0.1', port: 0, log, graceMs: 3000 })
  server.open(hearth, fallbacks)
  afterAll(async () => {
    await server.stop()
    await hearth.close()
  })
  type Options = {
    as?: string | null
    headers?: Record<string, string>
    json?: unknown
    body?: BodyInit
  }
  const request = (
    method: string,
    path: string,
    { as = 'ada', headers = {}, json, body }: Options = {},
  ) =>
    fetch(server.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}-secret` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: json === undefined ? body : JSON.stringify(json),
    })
  return {
    hearth,
    server,
    memory,
    lines,
    request,
    get: (path: string, options?: Options) => request('GET', path, options),
  }
}

export type ErrorBody = {
  error: {
    code: string
    message: string
    reason: string | null
    field: string | null
    details: Record<string, unknown>
    request_id: string | null
  }
}
export const errorOf = async (response: Response): Promise<ErrorBody['error']> =>
  ((await response.json()) as ErrorBody).error
