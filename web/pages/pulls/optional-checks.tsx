// What failed or still runs on the head of a pull request and does not block its merge.
import type { BranchRule } from '#features/rulesets/index.ts'
import { Chip } from '../../components/index.ts'
import { t } from '../../text.ts'
import { StatusList, type ShownStatus } from '../code/statuses.tsx'

/** The statuses that no rule of the base requires and that have not succeeded, failed ones first. */
export function optionalChecks(
  statuses: readonly ShownStatus[],
  rules: readonly BranchRule[],
): { readonly failed: readonly ShownStatus[]; readonly pending: readonly ShownStatus[] } {
  const required = new Set(
    rules
      .filter(({ type }) => type === 'required_checks')
      .flatMap(({ parameters }) => parameters.contexts as string[]),
  )
  const optional = statuses.filter(({ context }) => !required.has(context))
  return {
    failed: optional.filter(({ state }) => state === 'failure' || state === 'error'),
    pending: optional.filter(({ state }) => state === 'pending'),
  }
}

export const OptionalChecks = ({
  failed,
  pending,
  allHref,
}: ReturnType<typeof optionalChecks> & { allHref: string }) =>
  failed.length + pending.length === 0 ? null : (
    <StatusList
      statuses={[...failed, ...pending]}
      allHref={allHref}
      label={t('Checks that are not required')}
      mark={<Chip>{t('Not required')}</Chip>}
    />
  )
