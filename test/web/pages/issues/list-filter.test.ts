/** The text of the search box of a list, read and written. */
import { describe, expect, test } from 'bun:test'
import { filterOf, filterText, isNarrowed, parseFilter } from '#web/pages/issues/list-filter.ts'

const of = (query: string) => filterOf(new URLSearchParams(query))

describe('the text of the box', () => {
  test.each([
    'is:open',
    'is:merged author:ada',
    'is:open label:bug label:"good first issue" assignee:@me',
    'state:all milestone:"Version 1.0" no:assignee no:label',
    'is:draft review:changes_requested review-requested:@me checks:failed',
    'draft:false head:topic/door base:main sort:updated-asc creaking door',
  ])('%s is written as it is read', (text) => {
    expect(filterText(parseFilter(text))).toBe(text)
  })

  test('takes the words of other forges', () => {
    expect(parseFilter('is:pr is:open is:draft status:failure')).toMatchObject({
      state: 'draft',
      checks: 'failed',
      words: '',
    })
    expect(parseFilter('IS:ISSUE Label:bug sort:comments')).toMatchObject({
      state: 'open',
      labels: ['bug'],
      sort: 'comments',
      direction: 'desc',
    })
    expect(parseFilter('review:changes-requested author:@ada')).toMatchObject({
      review: 'changes_requested',
      author: 'ada',
    })
  })

  test('what is no qualifier is a word', () => {
    for (const text of ['https://example.com', 'is:broken', 'no:way', 'label:', 'constructor:x'])
      expect(parseFilter(text)).toMatchObject({
        state: 'open',
        labels: [],
        without: [],
        words: text,
      })
  })

  test('has no more than the operation takes, in little time', () => {
    const many = Array.from({ length: 200 }, (_, at) => `label:l${at}`).join(' ')
    expect(parseFilter(many).labels).toHaveLength(20)
    expect(parseFilter('word '.repeat(1000)).words.length).toBeLessThanOrEqual(200)
    expect(parseFilter('label:"'.repeat(100_000)).labels.length).toBeLessThanOrEqual(20)
  })
})

describe('the filter of an address', () => {
  test('is what is open, unless it says otherwise', () => {
    expect(of('')).toMatchObject({ state: 'open', words: '' })
    expect(isNarrowed(of(''))).toBe(false)
    expect(isNarrowed(of('q=is:closed'))).toBe(false)
    expect(isNarrowed(of('q=is:open+label:bug'))).toBe(true)
  })

  test('takes the fields of earlier addresses', () => {
    expect(filterText(of('label=bug&state=closed&milestone=mls_1&assignee=mel&q=door'))).toBe(
      'is:closed label:bug assignee:mel milestone:mls_1 door',
    )
    expect(of('state=nonsense').state).toBe('open')
  })
})
