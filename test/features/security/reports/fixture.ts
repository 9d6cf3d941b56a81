/** A forge in which vulnerabilities are reported. */
import type { Caller, UserCaller } from '#core/caller.ts'
import { createVulnerabilityReport } from '#features/security/reports/create-vulnerability-report.ts'
import { reviewVulnerabilityReport } from '#features/security/reports/review-vulnerability-report.ts'
import { makePullWorld, REPO } from '../../pulls/fixture.ts'

export { REPO }

export async function makeReportWorld() {
  const fixture = await makePullWorld()
  const { world, ada, otto } = fixture
  const report = (input: object = {}, who: Caller = otto, ip: string | null = null) =>
    world.call(
      createVulnerabilityReport,
      who,
      { repo: REPO, title: 'Hole', description: 'It is **deep**.', ...input },
      { origin: { request_id: null, ip, user_agent: null } },
    )
  const review = (id: string, input: object, who: UserCaller = ada) =>
    world.call(reviewVulnerabilityReport, who, { repo: REPO, id, state: 'accepted', ...input })
  return { ...fixture, report, review }
}
