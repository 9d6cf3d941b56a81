import { formatNumber } from '../format.ts'
import { Icon } from './icon.tsx'
import { t } from '../text.ts'

/** Links to older and newer items, for lists that continue from an id. */
export const Pager = ({
  newer,
  older,
  label = t('Pages'),
}: {
  newer?: string | null
  older?: string | null
  label?: string
}) =>
  newer || older ? (
    <nav class="pagination" aria-label={label}>
      {newer ? (
        <a class="btn btn-plain" href={newer} rel="prev">
          <Icon name="chevron-left" />
          <span>{t('Newer')}</span>
        </a>
      ) : null}
      {older ? (
        <a class="btn btn-plain" href={older} rel="next">
          <span>{t('Older')}</span>
          <Icon name="chevron-right" />
        </a>
      ) : null}
    </nav>
  ) : null

/** Links to the pages beside one, for lists of unknown length in another order than that of time. */
export const PageSteps = (props: {
  page: number
  hasNext: boolean
  href: (page: number) => string
  label: string
}) =>
  props.page > 1 || props.hasNext ? (
    <nav class="pagination" aria-label={props.label}>
      {props.page > 1 && (
        <a class="btn btn-plain" href={props.href(props.page - 1)} rel="prev">
          <Icon name="chevron-left" />
          <span>{t('Previous page')}</span>
        </a>
      )}
      {props.hasNext && (
        <a class="btn btn-plain" href={props.href(props.page + 1)} rel="next">
          <span>{t('Next page')}</span>
          <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  ) : null

/**
 * The page numbers that get a link: the ends, the current page and its neighbours. Zero is a gap.
 */
const numbers = (page: number, pages: number): number[] => {
  const wanted = [...new Set([1, page - 1, page, page + 1, pages])]
    .filter((one) => one >= 1 && one <= pages)
    .sort((a, b) => a - b)
  return wanted.flatMap((one, index) =>
    index > 0 && one - (wanted[index - 1] ?? one) > 1 ? [0, one] : [one],
  )
}

/** Links to numbered pages. Nothing for a single page. */
export const Pagination = (props: {
  page: number
  perPage: number
  total: number
  href: (page: number) => string
  label?: string
}) => {
  const pages = Math.ceil(props.total / props.perPage)
  if (pages <= 1) return null
  return (
    <nav class="pagination" aria-label={props.label ?? t('Pages')}>
      {props.page > 1 && (
        <a
          class="page-link"
          href={props.href(props.page - 1)}
          rel="prev"
          aria-label={t('Previous page')}
        >
          <Icon name="chevron-left" />
        </a>
      )}
      {numbers(props.page, pages).map((number) =>
        number === 0 ? (
          <span class="page-gap" aria-hidden="true">
            …
          </span>
        ) : (
          <a
            class="page-link"
            href={props.href(number)}
            aria-current={number === props.page ? 'page' : undefined}
            aria-label={t('Page {number}', { number: formatNumber(number) })}
          >
            {formatNumber(number)}
          </a>
        ),
      )}
      {props.page < pages && (
        <a
          class="page-link"
          href={props.href(props.page + 1)}
          rel="next"
          aria-label={t('Next page')}
        >
          <Icon name="chevron-right" />
        </a>
      )}
    </nav>
  )
}
