/** A pull request under review, with short ways to keep comments for it. */
import { listComments } from '#features/issues/comments/list-comments.ts'
import { addDraftComment } from '#features/pulls/reviews/add-draft-comment.ts'
import { listDraftComments } from '#features/pulls/reviews/list-draft-comments.ts'
import { makePullWorld, REPO, text } from './fixture.ts'

export async function reviewing() {
  const made = await makePullWorld()
  const number = await made.ready(made.otto, { 'a.txt': text({ 3: 'three', 12: 'twelve' }) })
  const keep = (caller: typeof made.mel, line: number, body: string) =>
    made.world.call(addDraftComment, caller, { repo: REPO, number, path: 'a.txt', line, body })
  const kept = (caller: typeof made.mel) =>
    made.world.call(listDraftComments, caller, { repo: REPO, number })
  const comments = async () =>
    (await made.world.call(listComments, made.otto, { repo: REPO, number })).items
  return { ...made, number, keep, kept, comments }
}
