import { Button, Group, Input, PasswordInput, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { connectorsTexts } from '../texts/connectors.ts'
import type { SchemaFieldProps } from './field-props.ts'

const texts = connectorsTexts.secret

/** Shows that a secret is stored, never its value. */
export function SecretField({ field, name, value, error, disabled, isStored, onChange }: SchemaFieldProps) {
  const [replacing, setReplacing] = useState(false)
  const id = useId()
  if (isStored && !replacing && !error) {
    return (
      <div>
        <Text id={id} component="span" size="sm" fw={500}>
          {field.title}
        </Text>
        {field.help ? <Input.Description>{field.help}</Input.Description> : null}
        <Group gap="sm" mt={4} role="group" aria-labelledby={id}>
          <Group gap={4}>
            <IconLock size={16} aria-hidden="true" />
            <Text size="sm">{texts.stored}</Text>
          </Group>
          <Button
            name={name}
            variant="default"
            size="xs"
            disabled={disabled}
            aria-label={texts.replaceNamed(field.title)}
            onClick={() => setReplacing(true)}
          >
            {texts.replace}
          </Button>
        </Group>
      </div>
    )
  }
  return (
    <div>
      <PasswordInput
        name={name}
        label={field.title}
        description={field.help}
        withAsterisk={field.required && !isStored}
        error={error}
        aria-invalid={error ? true : undefined}
        disabled={disabled}
        value={String(value)}
        onChange={onChange}
        // Stops the browser from filling in a password of this page.
        autoComplete="new-password"
        autoFocus={replacing}
        visibilityToggleButtonProps={{ tabIndex: 0, 'aria-label': texts.show(field.title) }}
      />
      {isStored ? (
        <Button
          variant="subtle"
          size="compact-xs"
          mt={4}
          onClick={() => {
            onChange('')
            setReplacing(false)
          }}
        >
          {texts.keep}
        </Button>
      ) : null}
    </div>
  )
}
