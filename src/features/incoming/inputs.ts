import { Type } from '#core/schema.ts'

export const IntegrationIdInput = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of an integration.',
})
