// Follows a link to a comment of a long conversation that is in another part of it. Its address has the
// comment behind `#`, which no server sees.
const COMMENT_ID = /^#((?:cmt|rvw|evt)_[0-9a-z]{26})$/

function openPartOfComment(): void {
  const [, id] = COMMENT_ID.exec(location.hash) ?? []
  if (id === undefined || document.getElementById(id)) return
  const url = new URL(location.href)
  if (!document.querySelector('[data-part-of]') || url.searchParams.get('at') === id) return
  url.search = `?at=${id}`
  location.replace(url)
}

addEventListener('hashchange', openPartOfComment)
openPartOfComment()
