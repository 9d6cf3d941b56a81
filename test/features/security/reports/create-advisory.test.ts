import { expect, test } from 'bun:test'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { refusal } from '../../../world.ts'
import { makeReportWorld, REPO } from './fixture.ts'

test('an advisory begins as a draft of one report at most', async () => {
  const { world, ada, mel, report } = await makeReportWorld()
  const { id } = await report()
  const create = (input: object = {}, who = ada) =>
    world.call(createAdvisory, who, {
      repo: REPO,
      title: 'Hole',
      description: 'd',
      severity: 'high',
      ...input,
    })
  const packages = [{ type: 'npm', name: 'site', vulnerable: '< 2.0.0', patched: '2.0.0' }]
  expect(await create({ report: id, packages, cve: 'CVE-2026-12345' })).toMatchObject({
    state: 'draft',
    packages,
    cve: 'CVE-2026-12345',
    published_at: null,
  })
  expect((await refusal(create({ report: id }))).reason).toBe('already_exists')
  expect((await refusal(create({ cve: 'CVE-1' }))).status).toBe(422)
  expect((await refusal(create({}, mel))).status).toBe(403)
})
