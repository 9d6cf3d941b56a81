import { openHearth } from '#src/app.ts'
import { loadConfig } from '#src/config.ts'
import { siteDoor } from '#web/door.ts'
import { siteMap } from '#web/index.ts'
import { visitorOf } from '#http/authenticate.ts'
import { startServer } from '#http/server.ts'
import { gitDoor } from '#http/git.ts'
import { silentLog } from '#lib/log.ts'
import { plansOf, wholeTables } from './bench/plans.ts'
import { readFileSync } from 'node:fs'
const dir = process.argv[2]!
const settings = loadConfig({ data: dir + '/data' }, {}).settings({ host: '127.0.0.1', port: 0 })
const hearth = openHearth({ settings, log: silentLog })
const kept = JSON.parse(readFileSync(dir + '/kept.json', 'utf8'))
const site = siteDoor(hearth, siteMap(settings, { docs: (() => ({})) as never }), visitorOf)
const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog })
server.open(hearth, { git: gitDoor(hearth), site: site.handle, refuse: site.refuse })
const [team, project] = (process.argv[3] ?? 'team-7/project-5007').split('/')
const place = team + '/' + project
const cookie = { cookie: kept.cookie }, token = { authorization: 'Bearer ' + kept.token }
const asked: [string, Record<string, string>][] = [
 ['/', {}], ['/', cookie], ['/explore', {}], ['/explore', cookie], ['/explore?page=50', cookie], [`/${team}`, cookie], [`/${team}`, {}], [`/${team}/-/activity`, cookie], [`/${team}/-/members`, cookie], [`/${team}/-/teams`, cookie], [`/${team}/-/audit`, cookie], [`/${team}/-/settings`, cookie], [`/${team}/-/settings/deleted`, cookie],
 [`/${place}`, cookie], [`/${place}/issues`, cookie], [`/${place}/issues?state=closed`, cookie], [`/${place}/issues?q=door`, cookie], [`/${place}/issues/1`, cookie], [`/${place}/pulls`, cookie], [`/${place}/pulls?state=merged`, cookie], [`/${place}/activity`, cookie], [`/${place}/branches`, cookie], [`/${place}/tags`, cookie], [`/${place}/releases`, cookie], [`/${place}/labels`, cookie], [`/${place}/milestones`, cookie], [`/${place}/agents`, cookie], [`/${place}/queue`, cookie], [`/${place}/settings`, cookie], [`/${place}/settings/collaborators`, cookie], [`/${place}/settings/rules`, cookie], [`/${place}/settings/webhooks`, cookie], [`/${place}/commits/main`, cookie],
 ['/notifications', cookie], ['/notifications?done=1', cookie], ['/search?q=door+squeaks&type=issues', cookie], ['/search?q=project-77&type=repos', cookie], ['/search?q=person-77&type=people', cookie],
 ['/admin', cookie], ['/admin/audit', cookie], ['/admin/audit?action=site.settings_changed', cookie], ['/admin/audit?actor=ada', cookie], ['/admin/users', cookie], ['/admin/users?q=person-77', cookie], ['/admin/workspaces', cookie], ['/admin/workspaces?q=team-77', cookie], ['/admin/jobs', cookie], ['/admin/jobs?state=failed', cookie], ['/admin/settings', cookie], ['/admin/backups', cookie],
 ['/settings/profile', cookie], ['/settings/tokens', cookie], ['/settings/emails', cookie], ['/person-77', {}], ['/ada', cookie],
 ['/api/v1/repos', token], ['/api/v1/user', token], ['/api/v1/notifications', token], ['/api/v1/workspaces', token], [`/api/v1/repos/${place}/events`, token], ['/api/v1/admin/audit-log', token], [`/api/v1/workspaces/${team}/usage`, token], [`/api/v1/workspaces/${team}/events`, token], ['/metrics', token], ['/readyz', {}],
]
const seen = new Set<string>()
for (const [path, headers] of asked) {
  let status = 0
  const t = performance.now()
  const plans = await plansOf(hearth, async () => { const r = await fetch(server.url + path, { headers, redirect: 'manual' }); await r.text(); status = r.status })
  const ms = performance.now() - t
  const bad = plans.filter((p) => wholeTables(p).length > 0 || p.steps.some((s) => s.includes('TEMP B-TREE')))
  const total = plans.reduce((s, p) => s + p.ms, 0), count = plans.reduce((s, p) => s + p.times, 0)
  console.log(`${status} ${path} ${ms.toFixed(0)} ms, db ${total.toFixed(1)} ms in ${count} questions`)
  for (const p of plans.filter((x) => x.ms > 5 || x.times > 20)) console.log(`   SLOW ${p.ms.toFixed(1)} ms x${p.times}: ${p.sql.slice(0, 400)}\n        ${p.steps.join(' | ')}`)
  for (const p of bad) { if (seen.has(p.sql)) continue; seen.add(p.sql); console.log(`   PLAN ${p.ms.toFixed(1)} ms: ${p.sql.slice(0, 300)}\n        ${p.steps.filter((s) => /SCAN|TEMP/.test(s)).join(' | ')}`) }
}
await server.stop(); await hearth.close(); process.exit(0)
