import { createHearth } from '#core/hearth.ts'
import { openDatabase } from '#core/db.ts'
import { signedIn, publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Actor, Type } from '#core/schema.ts'
import { startServer } from '#http/server.ts'
import { createLog, silentLog } from '#lib/log.ts'
const ada = { kind: 'user', id: 'usr_ada', username: 'ada', verified: true, suspended: false, site_admin: false, token: { id: 't', name: 't', kind: 'user', scopes: null, repos: null, workspace: null, role: null, expires_at: null }, sign_in: null }
let count = 0, start = process.cpuUsage()
const real = Bun.serve
Bun.serve = ((o: any) => { const inner = o.fetch; if (inner) o.fetch = (r: Request) => { if (++count === 20000) start = process.cpuUsage(); return inner(r) }; return real(o) }) as never
process.on('SIGINT', () => { const u = process.cpuUsage(start); process.stdout.write(mode + ' ' + ((u.user + u.system) / (count - 20000)).toFixed(2) + ' us cpu/request\n'); process.exit() })
const mode = process.argv[2]
if (mode === 'raw') {
  const body = JSON.stringify({ id: ada.id, kind: 'user', username: 'ada', name: null, avatar_url: '', on_behalf_of: null })
  Bun.serve({ port: 4300, hostname: '127.0.0.1', development: false, reusePort: false, fetch: () => new Response(body, { headers: { 'content-type': 'application/json' } }) })
} else {
  const log = mode === 'log' ? createLog() : silentLog
  const database = openDatabase({ path: ':memory:' })
  const ops = [operation({ name: 'whoami', summary: 'x', route: 'GET /v1/user', access: signedIn(), input: Type.Object({}), output: Actor, handler: ({ caller }) => ({ id: caller.id, kind: caller.kind, username: caller.username, name: null, avatar_url: '', on_behalf_of: null }) })]
  for (let i = 0; i < 150; i++) ops.push(operation({ name: 'op' + i, summary: 'x', route: `GET /v1/repos/{owner}/{name}/x${i}/{number}`, access: publicRead(), input: Type.Object({ repo: Type.String(), number: Type.Integer() }), output: Actor, handler: () => null as never }) as never)
  const hearth = createHearth({ settings: { site_url: 'http://x', base_url: 'http://x/api', mcp_url: 'http://x/mcp', version: '1', mcp_origins: [] } as never, log, database, clock: { now: () => 1772000000000 }, git: {} as never, features: [{ name: 't', operations: ops }], facts: { repo: () => null, workspace: () => null }, callers: () => ({ byToken: (s) => (s === 'ada' ? ada as never : null), bySignIn: () => null }) })
  startServer({ host: '127.0.0.1', port: 4300, log }).open(hearth)
}
