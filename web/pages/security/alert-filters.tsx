// The filters above the lists of alerts of code and of dependencies.
import type { CodeAlertState, DependencyAlertState, Severity } from '#features/security/index.ts'
import { FilterBar } from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import { t } from '../../text.ts'
import { ALERT_STATE_LABELS } from './dismissal.tsx'
import { SEVERITY_LABELS } from './severity.tsx'

type State = CodeAlertState | DependencyAlertState
type Current = { readonly state: State; readonly severity: Severity | null }
type At = (change: { state?: string; severity?: string; page?: number }) => string

/** The address of a list with its filters, and a change to them. */
export const alertsHref =
  (list: string, { state, severity }: Current): At =>
  (change) =>
    withQuery(list, {
      state: state === 'open' ? undefined : state,
      severity: severity ?? undefined,
      ...change,
    })

export const AlertFilters = ({
  at,
  states,
  severities,
  current,
}: {
  at: At
  states: readonly State[]
  severities: readonly Severity[]
  current: Current
}) => (
  <>
    <FilterBar
      label={t('Alerts by state')}
      filters={states.map((one) => ({
        label: ALERT_STATE_LABELS[one],
        href: at({ state: one === 'open' ? undefined : one }),
        current: current.state === one,
      }))}
    />
    <FilterBar
      label={t('Alerts by severity')}
      filters={[
        { label: t('All'), href: at({ severity: undefined }), current: current.severity === null },
        ...severities.map((one) => ({
          label: SEVERITY_LABELS[one],
          href: at({ severity: one }),
          current: current.severity === one,
        })),
      ]}
    />
  </>
)
