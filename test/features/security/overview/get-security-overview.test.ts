import { expect, test } from 'bun:test'
import { getSecurityOverview } from '#features/security/overview/get-security-overview.ts'
import { makeScanWorld, REPO } from '../code-scanning/fixture.ts'

test('the overview counts open alerts for those who may see them', async () => {
  const { world, ada, otto, scan } = await makeScanWorld()
  const overview = (who: typeof ada) => world.call(getSecurityOverview, who, { repo: REPO })
  const none = { kind: 'code', open: 0, oldest_at: null, is_used: false }
  expect((await overview(ada)).findings[0]).toMatchObject(none)
  await scan([
    { path: 'a.txt', line: 2 },
    { path: 'b.txt', rule: 'style', level: 'note' },
  ])
  await scan([{ path: 'a.txt', line: 2 }])
  expect((await overview(ada)).findings[0]).toMatchObject({
    open: 1,
    critical: 1,
    high: 0,
    opened: 2,
    closed: 1,
    oldest_at: expect.any(String),
    is_used: true,
  })
  const { weeks } = await overview(ada)
  expect(weeks).toHaveLength(12)
  expect(weeks.at(-1)).toMatchObject({ opened: 2, closed: 1 })
  expect(weeks.slice(0, -1).every(({ opened, closed }) => opened + closed === 0)).toBe(true)
  expect((await overview(otto)).weeks.at(-1)).toMatchObject({ opened: 0, closed: 0 })
  expect(await overview(otto)).toMatchObject({
    can_see_findings: false,
    can_see_secrets: false,
    can_manage_advisories: false,
    takes_reports: true,
    new_reports: null,
    findings: [],
  })
})
