// How alerts of code and of dependencies are dismissed.
import { DISMISSAL_REASONS } from '#features/security/index.ts'
import { Button, Card, Field, Form, FormActions, Select } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t, texts } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'

export const REASON_LABELS = texts({
  false_positive: 'False positive',
  wont_fix: 'Will not be fixed',
  used_in_tests: 'Used in tests',
})

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
      <Field
        name="note"
        label={t('Note')}
        maxlength={1000}
        value={visit.form.values.text('note')}
        error={fieldError(visit, 'note')}
        hint={t('Why, for those who look at it later.')}
      />
      <FormActions>
        <Button>{t('Dismiss alert')}</Button>
      </FormActions>
    </Form>
  </Card>
)
