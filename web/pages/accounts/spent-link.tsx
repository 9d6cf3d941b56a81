import { LinkButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { FormActions, FormError } from '../../components/form.tsx'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

/** Stands in place of the form of a mailed link that was used or is too old. `again` makes a new one. */
export const SpentLink = ({
  visit,
  message,
  again,
}: {
  visit: Visit
  message: string
  again: string
}) => (
  <Card>
    <FormError>{message}</FormError>
    <FormActions>
      <LinkButton href={again} variant="primary">
        {t('Get a new link')}
      </LinkButton>
      {visit.viewer === null && (
        <LinkButton href="/login" variant="quiet">
          {t('Sign in')}
        </LinkButton>
      )}
    </FormActions>
  </Card>
)
