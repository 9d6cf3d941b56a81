/** A repository whose workflow tests and then deploys. */
import { listDeployments } from '#features/environments/list-deployments.ts'
import { reviewDeployment } from '#features/environments/review-deployment.ts'
import { setEnvironment } from '#features/environments/set-environment.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Settings } from '#core/settings.ts'
import { FILE, makeRunsWorld, REPO } from '../workflows/fixture.ts'

export { FILE, REPO }

export const DEPLOY = `name: Deploy
on: push
jobs:
  ship:
    runs-on: ubuntu-latest
    environment: production
    steps:
      - run: make deploy
`

type Protection = {
  reviewers?: string[]
  wait_minutes?: number
  branches?: string[]
  prevent_self_review?: boolean
}

export async function makeEnvironmentsWorld(change: Partial<Settings> = {}) {
  const base = await makeRunsWorld(change)
  const { world, ada } = base
  return {
    ...base,
    protect: (change: Protection = {}, name = 'production') =>
      world.call(setEnvironment, ada, { ...REPO, environment: name, ...change }),
    deployments: async (filter: object = {}) =>
      (await world.call(listDeployments, ada, { ...REPO, ...filter })).items,
    async review(as: UserCaller, verdict: 'approve' | 'reject', comment?: string) {
      const [waiting] = (await world.call(listDeployments, ada, { ...REPO, state: 'waiting' }))
        .items
      const result = await world.call(reviewDeployment, as, {
        ...REPO,
        id: waiting?.id ?? '',
        verdict,
        ...(comment === undefined ? {} : { comment }),
      })
      await world.jobs()
      return result
    },
  }
}
