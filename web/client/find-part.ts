// Follows a link to a comment of a long conversation, or to a heading of a long text, that is in another
// part of it.
import { openPart } from './open-part.ts'

const COMMENT_ID = /^(?:cmt|rvw|evt)_[0-9a-z]{26}$/
/** The ids of texts begin with it on the page, but not in addresses of other forges. */
const TEXT_PREFIX = 'user-content-'

const hasPart = (selector: string): boolean => document.querySelector(selector) !== null

/** The id that the address names. */
function targetId(): string {
  const fragment = location.hash.slice(1)
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function openPartOfTarget(): void {
  const id = targetId()
  if (id === '' || document.getElementById(id)) return
  if (COMMENT_ID.test(id)) {
    if (hasPart('[data-part-of]')) openPart('at', id, ['before', 'from', 'edit'])
    return
  }
  const inText = id.startsWith(TEXT_PREFIX) ? id : TEXT_PREFIX + id
  if (document.getElementById(inText)) location.replace(`#${encodeURIComponent(inText)}`)
  else if (hasPart('[data-text-part]')) openPart('at', inText, ['part'])
}

addEventListener('hashchange', openPartOfTarget)
openPartOfTarget()
