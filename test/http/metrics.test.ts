import { expect, test } from 'bun:test'
import { getArchiveLink } from '#features/repos/archives/get-archive-link.ts'
import { METRICS } from '#http/metrics.ts'
import { makeListening } from './listening-world.ts'

const { world, server, get, token } = await makeListening({
  metrics: { token: 'scraping-secret', allow: ['192.0.2.0/24'] },
  trusted_proxies: ['127.0.0.1'],
})
const root = await world.user('root', { site_admin: true })
const ada = await world.user('ada')
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

/** Samples by their name with labels; fails for a line that is not of the format. */
function parse(text: string): Map<string, number> {
  const samples = new Map<string, number>()
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('# ')) {
      expect(line).toMatch(
        /^# (HELP hearth_[a-z_]+ .+|TYPE hearth_[a-z_]+ (counter|gauge|histogram))$/,
      )
      continue
    }
    const [, name = '', value = ''] =
      /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? []
    expect(name).not.toBe('')
    expect(Number.isFinite(Number(value))).toBe(true)
    expect(samples.has(name)).toBe(false)
    samples.set(name, Number(value))
  }
  return samples
}

test('only administrators, the token and the named addresses read the numbers', async () => {
  expect((await get('/metrics')).status).toBe(401)
  expect((await get('/metrics', bearer('wrong'))).status).toBe(401)
  expect((await get('/metrics', bearer(await token(ada)))).status).toBe(403)
  expect((await get('/metrics', bearer(await token(root, ['repo:read'])))).status).toBe(403)
  expect((await get('/metrics', bearer(await token(root)))).status).toBe(200)
  expect((await get('/metrics', bearer('scraping-secret'))).status).toBe(200)
  expect((await get('/metrics', { 'x-forwarded-for': '192.0.2.7' })).status).toBe(200)
  // The word of a client about itself counts for nothing: only what the trusted proxy added last.
  expect((await get('/metrics', { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' })).status).toBe(401)
})

test('they count what happened, in the text format', async () => {
  await world.workspace('acme')
  await world.repo('acme/site')
  await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  await get('/api/v1/repos/acme/site')
  await get('/acme/site.git/info/refs?service=git-upload-pack')
  const response = await get('/metrics', bearer('scraping-secret'))
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const samples = parse(text)
  for (const [name, [kind]] of Object.entries(METRICS))
    expect(text).toContain(`# TYPE hearth_${name} ${kind}\n`)
  expect(samples.get('hearth_http_requests_total{door="rest",method="GET",status="200"}')).toBe(1)
  expect(samples.get('hearth_http_requests_total{door="git",method="GET",status="200"}')).toBe(1)
  expect(samples.get('hearth_http_request_seconds_count{door="rest"}')).toBe(1)
  expect(samples.get('hearth_http_request_seconds_bucket{door="rest",le="+Inf"}')).toBe(1)
  expect(samples.get('hearth_git_operation_seconds_count{operation="commitFiles"}')).toBe(1)
  expect(samples.get('hearth_git_operations_running{operation="commitFiles"}')).toBe(0)
  expect(samples.get('hearth_database_queries_total')).toBeGreaterThan(10)
  expect(samples.get('hearth_database_wal_bytes')).toBeGreaterThan(0)
  expect(samples.get('hearth_disk_free_bytes')).toBeGreaterThan(0)
  expect(samples.get('hearth_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(samples.get('hearth_job_concurrency{queue="common"}')).toBe(4)
  for (const since of ['scrape', 'minute'])
    for (const unit of ['seconds', 'cpu_seconds'])
      expect(
        samples.get(`hearth_event_loop_longest_turn_${unit}{since="${since}"}`),
      ).toBeGreaterThanOrEqual(0)
  // Names of people and repositories are in no label.
  expect(text).not.toContain('acme')
})

test('a transfer is counted once, and one that is turned away is over', async () => {
  await world.repo('acme/other')
  await world.commit('acme/other', 'main', { 'a.txt': 'a' })
  const { url } = await world.call(getArchiveLink, ada, { repo: 'acme/other' })
  expect((await (await get(new URL(url).pathname)).bytes()).length).toBeGreaterThan(100)
  const headers = {
    authorization: `Basic ${btoa(`x:${await token(ada)}`)}`,
    'content-type': 'application/x-git-receive-pack-request',
    'content-encoding': 'br',
  }
  expect(
    (
      await fetch(`${server.url}/acme/other.git/git-receive-pack`, {
        method: 'POST',
        headers,
        body: 'anything',
      })
    ).status,
  ).toBe(415)
  const samples = parse(await (await get('/metrics', bearer('scraping-secret'))).text())
  const of = (operation: string) =>
    ['operation_seconds_count', 'operations_running'].map((name) =>
      samples.get(`hearth_git_${name}{operation="${operation}"}`),
    )
  expect([of('archive'), of('push')]).toEqual([
    [1, 0],
    [1, 0],
  ])
})

test('a long turn of the event loop is shown by the next scrape, and for a minute', async () => {
  const longest = async () => {
    const samples = parse(await (await get('/metrics', bearer('scraping-secret'))).text())
    return ['scrape', 'minute'].map(
      (since) => samples.get(`hearth_event_loop_longest_turn_seconds{since="${since}"}`) ?? 0,
    )
  }
  await longest()
  const until = performance.now() + 1500
  while (performance.now() < until);
  const [ofScrape, ofMinute] = await longest()
  expect(ofScrape).toBeGreaterThan(1.4)
  expect(ofMinute).toBeGreaterThan(1.4)
  const [ofNextScrape, stillOfMinute] = await longest()
  expect(ofNextScrape).toBeLessThan(1.4)
  expect(stillOfMinute).toBeGreaterThan(1.4)
  const ready = (await (await get('/readyz')).json()) as { longest_turn_ms: number }
  expect(ready.longest_turn_ms).toBeGreaterThan(1400)
})
