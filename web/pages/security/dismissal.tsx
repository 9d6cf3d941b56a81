// The states of alerts of code and of dependencies, and how they are dismissed and reopened.
import {
  DISMISSAL_REASONS,
  type CodeAlert,
  type DependencyAlert,
  type DismissalReason,
} from '#features/security/index.ts'
import {
  ActionButton,
  ActorLink,
  Badge,
  Button,
  Card,
  Field,
  Form,
  FormActions,
  RelativeTime,
  Select,
  type Tone,
} from '../../components/index.ts'
import {
  action,
  redirectWithFlash,
  type Form as SiteForm,
  type Page,
  type Visit,
} from '../../site.ts'
import { t, texts } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'

type Alert = CodeAlert | DependencyAlert

export const ALERT_STATE_LABELS = texts({ open: 'Open', dismissed: 'Dismissed', fixed: 'Fixed' })
const TONES: Readonly<Record<Alert['state'], Tone>> = {
  open: 'bad',
  dismissed: 'plain',
  fixed: 'done',
}
const REASON_LABELS = texts({
  false_positive: 'False positive',
  wont_fix: 'Will not be fixed',
  used_in_tests: 'Used in tests',
})

export const AlertState = ({ of: { state } }: { of: Alert }) => (
  <Badge tone={TONES[state]}>{ALERT_STATE_LABELS[state]}</Badge>
)

/** Why, by whom and when an alert was dismissed; none for others. */
export const dismissalFacts = (visit: Visit, alert: Alert) => [
  ...(alert.dismissed_reason === null
    ? []
    : [
        { label: t('Dismissed'), value: REASON_LABELS[alert.dismissed_reason] },
        {
          label: t('By'),
          value: (
            <>
              {alert.dismissed_by && <ActorLink of={alert.dismissed_by} />}{' '}
              {alert.dismissed_at !== null && (
                <RelativeTime at={alert.dismissed_at} now={visit.hearth.clock.now()} />
              )}
            </>
          ),
        },
      ]),
  ...(alert.dismissed_note === null ? [] : [{ label: t('Note'), value: alert.dismissed_note }]),
]

/** The note of those who dismiss or resolve an alert. */
export const NoteField = ({ visit }: { visit: Visit }) => (
  <Field
    name="note"
    label={t('Note')}
    maxlength={1000}
    value={visit.form.values.text('note')}
    error={fieldError(visit, 'note')}
    hint={t('Why, for those who look at it later.')}
  />
)

export const DismissForm = ({ visit, action }: { visit: Visit; action: string }) => (
  <Card title={t('Dismiss alert')}>
    <Form action={action} csrf={visit.csrf} error={formError(visit, 'reason', 'note')}>
      <Select
        name="reason"
        label={t('Reason')}
        value={visit.form.values.text('reason') || 'false_positive'}
        error={fieldError(visit, 'reason')}
        options={DISMISSAL_REASONS.map((value) => ({ value, label: REASON_LABELS[value] }))}
      />
      <NoteField visit={visit} />
      <FormActions>
        <Button>{t('Dismiss alert')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const ReopenButton = ({ visit, action }: { visit: Visit; action: string }) => (
  <ActionButton action={action} csrf={visit.csrf}>
    <Button>{t('Reopen alert')}</Button>
  </ActionButton>
)

type Change =
  | { state: 'dismissed'; reason: DismissalReason | null; note: string | null }
  | { state: 'open' }

/** The forms of the page of one alert; `change` calls the operation of its kind. */
export const dismissalForms = (
  page: Page,
  alertPath: (visit: Visit) => string,
  change: (visit: Visit, change: Change) => Promise<unknown>,
): SiteForm[] => [
  action({
    path: `${page.path}/dismiss`,
    page,
    submit: async (visit, fields) => {
      const reason = DISMISSAL_REASONS.find((one) => one === fields.text('reason')) ?? null
      await change(visit, { state: 'dismissed', reason, note: fields.optional('note') ?? null })
      return redirectWithFlash(visit, alertPath(visit), 'alert-dismissed')
    },
  }),
  action({
    path: `${page.path}/reopen`,
    page,
    submit: async (visit) => {
      await change(visit, { state: 'open' })
      return redirectWithFlash(visit, alertPath(visit), 'alert-reopened')
    },
  }),
]
