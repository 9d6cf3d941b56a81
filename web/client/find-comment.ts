// Follows a link to a comment of a long conversation that is in another part of it.
import { openPart } from './open-part.ts'

const COMMENT_ID = /^#((?:cmt|rvw|evt)_[0-9a-z]{26})$/

function openPartOfComment(): void {
  const [, id] = COMMENT_ID.exec(location.hash) ?? []
  if (id === undefined || document.getElementById(id)) return
  if (document.querySelector('[data-part-of]')) openPart('at', id, ['before', 'from', 'edit'])
}

addEventListener('hashchange', openPartOfComment)
openPartOfComment()
