import { expect, test } from 'bun:test'
import { makeWorld } from './world.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { issueToken } from '#features/accounts/tokens/tokens.ts'
test('measure', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.commit('acme/site', 'main', { 'README.md': '# Site\n\nA small one.\n', 'src/door.ts': 'export const door = "squeak"\n', 'src/hinge.ts': 'export const hinge = 1\n', 'test/door.test.ts': 'x\n' }, { as: ada })
  const tok = async (who: any) => (await world.write((tx) => issueToken(tx, { actor_id: who.id, kind: 'user', name: 't', source: 'settings', scopes: null, repos: null, workspace_id: null, role: null, expires_at: null }))).secret
  const secrets = { ada: await tok(ada), bob: await tok(bob) } as any
  const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog, graceMs: 1000 })
  server.open(world.hearth)
  const out: string[] = []
  const call = async (who: string, name: string, args: any, note = true) => {
    const r = await fetch(server.url + '/mcp', { method: 'POST', headers: { authorization: 'Bearer ' + secrets[who], 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }) })
    const j = (await r.json()) as any
    const text = j.result?.content?.[0]?.text ?? JSON.stringify(j)
    if (note) out.push(`### ${name} ${Math.round(text.length / 4)}${j.result?.isError ? ' ERROR' : ''}\n${text}`)
    world.clock.advance(1000)
    return j.result?.structuredContent
  }
  const repo = 'acme/site'
  for (let i = 0; i < 12; i++) await call('bob', 'create_issue', { repo, title: `The door squeaks when it is opened (${i})`, body: 'Steps to see it:\n1. Open the door.\n2. Listen.\n\nIt should be silent.', labels: ['bug'] }, i === 0)
  await call('ada', 'add_comment', { repo, number: 1, body: 'I can hear it too.' })
  const made = await call('bob', 'create_pull', { repo, issue: 1 })
  await world.commit('acme/site/pull/13', 'main', { 'src/door.ts': 'export const door = "silence"\n' }, { as: bob }).catch((e) => out.push('commit: ' + e))
  await call('bob', 'append_session', { repo, number: 13, entries: [{ kind: 'message', text: 'The hinge is dry, so the door squeaks.' }, { kind: 'tool', tool: 'bash', text: 'sed -i s/squeak/silence/ src/door.ts' }, { kind: 'tool', tool: 'bash', text: 'bun test' }, { kind: 'summary', text: 'Oiled the hinge.' }] })
  await call('bob', 'get_pull_checks', { repo, number: 13 })
  await call('bob', 'mark_pull_ready', { repo, number: 13, summary: 'Oil the hinge. It is quiet now.' })
  await call('ada', 'get_pull_changes', { repo, number: 13 })
  await call('ada', 'review_pull', { repo, number: 13, verdict: 'approve', body: 'Good.' })
  await call('ada', 'add_comment', { repo, number: 13, body: 'Is it quiet in winter?', path: 'src/door.ts', line: 1 })
  await call('bob', 'get_pull', { repo, number: 13 })
  await call('bob', 'get_issue', { repo, number: 1 })
  await call('bob', 'list_pulls', { repo })
  await call('bob', 'get_session', { repo, number: 13 })
  await call('bob', 'list_issues', { repo })
  await call('bob', 'list_events', { repo })
  await call('bob', 'get_repo', { repo })
  await call('bob', 'get_tree', { repo, ref: 'main' })
  await call('bob', 'get_file', { repo, path: 'src/door.ts' })
  await call('bob', 'list_commits', { repo })
  await call('bob', 'whoami', {})
  await call('bob', 'list_notifications', {})
  await call('bob', 'search', { query: 'door' })
  await call('ada', 'merge_pull', { repo, number: 13 })
  await Bun.write('/tmp/tools/measure.txt', out.join('\n\n'))
  await server.stop()
})
