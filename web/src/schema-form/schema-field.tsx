import {
  Checkbox,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useId } from 'react'
import { SettingText } from '../components/setting-text.tsx'
import { separators } from '../texts/locale.ts'
import { optionTexts } from '../texts/options.ts'
import type { SchemaFieldProps } from './field-props.ts'
import classes from './schema-fields.module.css'
import { SecretField } from './secret-field.tsx'

/** A number up to this is a port, written without separators. */
const HIGHEST_PORT = 65_535

export function SchemaField(props: SchemaFieldProps) {
  const { field, name, value, disabled = false, onBlur, onChange } = props
  const error = props.error ? <SettingText text={props.error} /> : undefined
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
      if (field.choices) return <ChoiceField {...props} choices={field.choices} />
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
          thousandSeparator={field.maximum === HIGHEST_PORT ? '' : separators.thousand}
          decimalSeparator={separators.decimal}
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
              <Checkbox
                key={option}
                value={option}
                label={optionTexts[option] ?? option}
                disabled={disabled}
              />
            ))}
          </Group>
        </Checkbox.Group>
      )
    case 'choice':
      return (
        <Select
          {...common}
          data={field.options.map((option) => ({ value: option, label: optionTexts[option] ?? option }))}
          value={String(value) || null}
          allowDeselect={!field.required}
          onChange={(next) => onChange(next ?? '')}
        />
      )
    case 'lines':
      return (
        <Textarea
          {...common}
          {...text}
          classNames={{ input: 'mono' }}
          spellCheck={false}
          autosize
          minRows={3}
          maxRows={12}
          value={String(value)}
          onChange={onChange}
        />
      )
    default:
      return <TextInput {...common} {...text} value={String(value)} onChange={onChange} onBlur={onBlur} />
  }
}

/** True and false by name, next to each other. */
function ChoiceField(props: SchemaFieldProps & { choices: { true: string; false: string } }) {
  const { field, name, value, error, disabled = false, choices, onChange } = props
  const id = useId()
  return (
    <Input.Wrapper
      label={field.title}
      labelElement="div"
      labelProps={{ id }}
      description={field.help}
      error={error}
    >
      <div>
        <SegmentedControl
          name={name}
          aria-labelledby={id}
          mt={4}
          disabled={disabled}
          data={[
            { value: 'true', label: choices.true },
            { value: 'false', label: choices.false },
          ]}
          value={String(value === true)}
          onChange={(next) => onChange(next === 'true')}
        />
      </div>
    </Input.Wrapper>
  )
}
