// What the pickers of a pull request offer.
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import type { Visit } from '../../site.ts'
import { loadSideChoices, type SideChoices } from '../issues/side-load.ts'
import { isAuthor, loadReviewers, type ReviewerChoices } from './reviewers.tsx'

/** `reviewers` is null for those who may not request a review. */
export type PullChoices = SideChoices & { readonly reviewers: ReviewerChoices | null }

export async function loadPullChoices(
  visit: Visit,
  repo: Repo,
  data: PullOverview,
): Promise<PullChoices> {
  const mayChoose = visit.viewer !== null && (repo.permissions.triage || isAuthor(data, visit))
  const choices = await loadSideChoices(visit, repo.full_name, data.labels, mayChoose)
  return {
    ...choices,
    reviewers: mayChoose ? await loadReviewers(visit, repo, choices.people) : null,
  }
}
