import { expect, test } from 'bun:test'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { refusal } from '../../../world.ts'
import { makeReportWorld, REPO } from './fixture.ts'

test('an advisory is published once, changed, and withdrawn, and never a draft again', async () => {
  const { world, ada, mel } = await makeReportWorld()
  const { id } = await world.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'd',
    severity: 'high',
  })
  const update = (input: object, who = ada) =>
    world.call(updateAdvisory, who, { repo: REPO, id, ...input })
  expect((await refusal(update({ state: 'withdrawn' }))).status).toBe(409)
  expect((await refusal(update({ title: 'x' }, mel))).status).toBe(403)
  const published = await update({ state: 'published', cve: 'CVE-2026-0001' })
  expect(published).toMatchObject({ state: 'published', published_at: expect.any(String) })
  world.clock.advance(1_000)
  expect(await update({ title: ' New\ntitle ', credits: ['otto'] })).toMatchObject({
    title: 'New title',
    description: 'd',
    cve: 'CVE-2026-0001',
    credits: ['otto'],
    published_at: published.published_at,
  })
  expect((await refusal(update({ state: 'draft' }))).status).toBe(409)
  expect(await update({ state: 'withdrawn' })).toMatchObject({ state: 'withdrawn' })
  expect(world.events('security.advisory_published').map(({ data }) => data)).toEqual([
    { advisory: id, title: 'Hole', severity: 'high' },
  ])
})

test('a CVSS vector decides the severity, and one without a score is refused', async () => {
  const { world, ada } = await makeReportWorld()
  const advisory = await world.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'Deep',
    severity: 'low',
    cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  })
  expect(advisory).toMatchObject({ severity: 'critical', cvss_score: 9.8 })
  const change = (input: object) =>
    world.call(updateAdvisory, ada, { repo: REPO, id: advisory.id, ...input })
  expect(await change({ severity: 'low' })).toMatchObject({ severity: 'critical' })
  const mild = 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N'
  expect(await change({ cvss: mild })).toMatchObject({ severity: 'low', cvss: mild })
  for (const cvss of ['CVSS:3.1/AV:N', 'nonsense', 'CVSS:2.0/AV:N/AC:L/Au:N/C:P/I:P/A:P'])
    expect(await refusal(change({ cvss }))).toMatchObject({ status: 422, field: 'cvss' })
  expect(await change({ cvss: null, severity: 'high' })).toMatchObject({
    severity: 'high',
    cvss: null,
    cvss_score: null,
  })
})
