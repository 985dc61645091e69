import { Checkbox, Group, NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core'
import type { SchemaFieldProps } from './field-props.ts'
import classes from './schema-fields.module.css'
import { SecretField } from './secret-field.tsx'

export function SchemaField(props: SchemaFieldProps) {
  const { field, name, value, error, disabled = false, onChange } = props
  const common = {
    name,
    label: field.title,
    description: field.help,
    error,
    disabled,
    withAsterisk: field.required,
  }
  const text = { placeholder: field.placeholder, autoComplete: 'off' }
  const list = Array.isArray(value) ? value : []
  switch (field.kind) {
    case 'secret':
      return <SecretField {...props} />
    case 'flag':
      return (
        <Switch
          name={name}
          label={field.title}
          description={field.help}
          error={error}
          disabled={disabled}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return (
        <NumberInput
          {...common}
          {...text}
          styles={{ wrapper: { maxWidth: 240 } }}
          thousandSeparator=","
          allowDecimal={field.decimal}
          step={field.decimal ? 0.05 : 1}
          min={field.minimum}
          max={field.maximum}
          value={typeof value === 'number' ? value : String(value)}
          onChange={onChange}
        />
      )
    case 'list':
      return (
        <TagsInput
          {...common}
          placeholder={list.length > 0 ? undefined : field.placeholder}
          value={list}
          onChange={onChange}
          classNames={{ input: classes.entries, inputField: classes.entry }}
        />
      )
    case 'choices':
      return (
        <Checkbox.Group {...common} value={list} onChange={onChange}>
          <Group gap="lg" mt={4}>
            {field.options.map((option) => (
              <Checkbox key={option} value={option} label={named(option)} disabled={disabled} />
            ))}
          </Group>
        </Checkbox.Group>
      )
    case 'choice':
      return (
        <Select
          {...common}
          data={field.options.map((option) => ({ value: option, label: named(option) }))}
          value={String(value) || null}
          allowDeselect={!field.required}
          onChange={(next) => onChange(next ?? '')}
        />
      )
    default:
      return <TextInput {...common} {...text} value={String(value)} onChange={onChange} />
  }
}

/** `current` → Current. */
function named(option: string): string {
  return option.charAt(0).toUpperCase() + option.slice(1).replaceAll('_', ' ')
}
