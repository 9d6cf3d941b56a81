import { expect, test } from 'bun:test'
import { pageNumber } from '../../web/page-number.ts'

test('an address without a usable number is that of the first page', () => {
  const at = (query: string) => pageNumber({ url: new URL(`http://forge.test/list${query}`) })
  expect(['?page=1', '?page=12'].map(at)).toEqual([1, 12])
  const unusable = ['', '?page=', '?page=0', '?page=-2', '?page=1.5', '?page=x', '?page=1e99']
  expect(unusable.map(at)).toEqual(unusable.map(() => 1))
})
