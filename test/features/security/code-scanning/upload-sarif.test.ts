import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { listCodeScanningAnalyses } from '#features/security/code-scanning/list-code-scanning-analyses.ts'
import { uploadSarif } from '#features/security/code-scanning/upload-sarif.ts'
import { updateCodeScanningAlert } from '#features/security/code-scanning/update-code-scanning-alert.ts'
import { commitContextsOf } from '#features/repos/index.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { refusal } from '../../../world.ts'
import { makeScanWorld, packed, REPO, sarif } from './fixture.ts'

test('an upload becomes an analysis and alerts, which the next upload keeps, fixes and opens again', async () => {
  const { world, ada, ref, scan, alerts, alert } = await makeScanWorld()
  await world.commit(REPO, 'main', { 'src/a.ts': 'one()\nquery(x)\nthree()\n' })
  const first = await scan([
    { path: 'src/a.ts', line: 2 },
    { path: 'src/a.ts', line: 3, rule: 'style', level: 'note', message: 'Untidy' },
  ])
  expect(first).toMatchObject({ processing_status: 'complete', errors: [] })
  const [sql, style] = await alerts()
  expect([sql, style]).toMatchObject([
    {
      number: 1,
      state: 'open',
      severity: 'critical',
      tool: 'Scanner',
      tool_version: '1.2.3',
      path: 'src/a.ts',
      start_line: 2,
      ref: 'refs/heads/main',
      commit_sha: ref('main'),
      rule: { id: 'sql', name: 'SqlInjection', tags: ['security'], help: null },
    },
    { number: 2, severity: 'note', message: 'Untidy', rule: { id: 'style', name: null } },
  ])
  expect((await alert(sql?.id ?? '')).rule.help).toBe('Use **parameters**.')
  expect(world.events('security.alert_opened').map(({ data }) => data)).toEqual([
    { kind: 'code', alert: sql?.id, severity: 'critical', count: 2 },
  ])

  // Lines above move it, a rename moves it; both are the same alert.
  await world.commit(REPO, 'main', {
    'src/a.ts': null,
    'src/b.ts': '// new\n\none()\n  query(x)\nthree()\n',
  })
  await scan([{ path: 'src/b.ts', line: 4 }])
  expect(await alerts({ state: 'open' })).toMatchObject([
    { id: sql?.id, number: 1, path: 'src/b.ts', start_line: 4 },
  ])
  expect(await alerts({ state: 'fixed' })).toMatchObject([
    { id: style?.id, fixed_at: expect.any(String) },
  ])
  await scan([
    { path: 'src/b.ts', line: 4 },
    { path: 'src/b.ts', line: 5, rule: 'style', level: 'note' },
  ])
  // It had vanished from a file that was renamed since, so it is another one.
  expect((await alerts({ state: 'open' })).map(({ number }) => number)).toEqual([1, 3])
  expect(world.events('security.alert_opened')).toHaveLength(2)
  expect(
    (await world.call(listCodeScanningAnalyses, ada, { repo: REPO })).items.map(
      ({ results, new_alerts, fixed_alerts }) => [results, new_alerts, fixed_alerts],
    ),
  ).toEqual([
    [2, 1, 0],
    [1, 0, 1],
    [2, 2, 0],
  ])
})

test('strangers learn of no alert from the timeline', async () => {
  const { world, ada, otto, scan } = await makeScanWorld()
  await scan([{ path: 'a.txt', line: 2 }])
  const types = async (who: typeof ada) =>
    (await world.call(listEvents, who, { repo: REPO })).items.map(({ type }) => type)
  expect(await types(ada)).toContain('security.alert_opened')
  expect(await types(otto)).not.toContain('security.alert_opened')
})

test('uploads come as gzip, base64 or JSON; what is wrong with one is said', async () => {
  const { world, ada, mel, otto, ref, alerts } = await makeScanWorld()
  const sha = ref('main') ?? ''
  const file = sarif([{ path: 'a.txt', line: 3 }])
  const upload = (change: object = {}, as = ada) =>
    world.call(uploadSarif, as, {
      repo: REPO,
      commit_sha: sha,
      git_ref: 'refs/heads/main',
      sarif: packed(file),
      ...change,
    })
  const forms = [file, JSON.stringify(file), Buffer.from(JSON.stringify(file)).toString('base64')]
  for (const form of forms) expect((await upload({ sarif: form })).id).toStartWith('sar_')
  await world.jobs()
  expect(await alerts()).toHaveLength(1)
  const many = { ...file, runs: Array.from({ length: 21 }, () => file.runs[0]) }
  const full = sarif([])
  const results = Array.from({ length: 25_001 }, () => ({}))
  for (const [change, message] of [
    [{ sarif: 'no base64!' }, 'must be base64'],
    [{ sarif: Buffer.from('{"version":').toString('base64') }, 'is not JSON'],
    [{ sarif: gzipSync('{}').subarray(0, 12).toString('base64') }, 'is not complete gzip'],
    [{ sarif: { ...file, version: '1.0.0' } }, 'has the version "1.0.0"'],
    [{ sarif: many }, 'has 21 runs'],
    [{ sarif: { ...full, runs: [{ ...full.runs[0], results }] } }, 'a run with 25001 results'],
    [{ sarif: gzipSync(Buffer.alloc(101 * 1024 ** 2, 32)).toString('base64') }, '100 MiB'],
    [{ git_ref: 'main' }, 'refs/heads/<branch>'],
    [{ commit_sha: 'a'.repeat(40) }, 'has no commit aaaaaaaaaa'],
  ] as const)
    expect(await refusal(upload(change))).toMatchObject({
      status: 422,
      message: expect.stringContaining(message),
    })
  expect((await refusal(upload({ git_ref: 'refs/pull/77/head' }))).status).toBe(404)
  expect((await refusal(upload({}, otto))).status).toBe(403)
  expect(mel.username).toBe('mel')
})

test('a pull request fails its check for a severe alert on a line that it adds, until that is dismissed', async () => {
  const fixture = await makeScanWorld()
  const { world, ada, mel, scan, alerts, pull, ready, row } = fixture
  await world.commit(REPO, 'main', { 'old.ts': 'query(y)\n' })
  await scan([{ path: 'old.ts' }])
  const number = await ready(mel, { 'new.ts': 'fine()\nquery(x)\n' })
  const contexts = () =>
    commitContextsOf(world.hearth, row().id, head.sha).map(({ context, state }) => [context, state])
  const head = { sha: pull(number).head_sha ?? '', git_ref: `refs/pull/${number}/head` }
  await scan([{ path: 'old.ts' }], head)
  expect(contexts()).toEqual([['code scanning / Scanner', 'success']])
  await scan([{ path: 'old.ts' }, { path: 'new.ts', line: 2 }], head)
  expect(contexts()).toEqual([['code scanning / Scanner', 'failure']])
  const found = (await alerts({ pull: number })).find(({ path }) => path === 'new.ts')
  // The default branch does not have it.
  expect((await alerts()).map(({ path }) => path)).toEqual(['old.ts'])
  await world.call(updateCodeScanningAlert, ada, {
    repo: REPO,
    id: found?.id ?? '',
    state: 'dismissed',
    reason: 'used_in_tests',
  })
  expect(contexts()).toEqual([['code scanning / Scanner', 'success']])
})

test('an agent does not vouch for its own pull request by what it uploads', async () => {
  const { world, mel, scan, pull, ready, row, agent } = await makeScanWorld()
  const number = await ready(mel, { 'new.ts': 'query(x)\n' })
  const sha = pull(number).head_sha ?? ''
  const head = { sha, git_ref: `refs/pull/${number}/head` }
  const context = { context: 'code scanning / Scanner', state: 'success' as const }
  await scan([], { ...head, as: await agent(mel) })
  expect(commitContextsOf(world.hearth, row().id, sha)).toEqual([{ ...context, trusted: null }])
  await scan([], { ...head, as: mel })
  expect(commitContextsOf(world.hearth, row().id, sha)).toEqual([
    { ...context, trusted: 'success' },
  ])
})
