; Declarations.
((export_statement "default" declaration: [
  (function_declaration name: (_) @name)
  (generator_function_declaration name: (_) @name)
  (function_signature name: (_) @name)] @definition.function) (#set! signature "export default {text}"))
((export_statement "default" declaration: [
  (class_declaration name: (_) @name)
  (abstract_class_declaration name: (_) @name)] @definition.class) (#set! signature "export default {text}"))
((export_statement "default" declaration: (interface_declaration name: (_) @name) @definition.interface)
  (#set! signature "export default {text}"))
(export_statement "default" @name value: (identifier) @export) @ignored
(export_statement "default" @name @export value: [(function_expression) (generator_function) (arrow_function)] @value) @definition.function
(export_statement "default" @name @export value: (class) @value) @definition.class
((export_statement "default" @name @export value: (_) @value) @definition.variable (#set! open ""))
(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(function_signature name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
((type_alias_declaration name: (_) @name value: (object_type) @body) @definition.type
  (#seen? @body "^.{61}") (#set! signature "{text} = {{…}}"))
((type_alias_declaration name: (_) @name) @definition.type (#set! closed ""))
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module

; CommonJS.
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @name
  right: [(identifier) (object) (function_expression name: (_)) (class name: (_))] (#among? @name "exports" "module.exports")) @ignored
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left right: (object
  (pair key: (_) @name value: (identifier)) @ignored)
  (#among? @_left "exports" "module.exports"))
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left right: (object [
    (method_definition name: (_) @name)
    (pair key: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @value)] @definition.function)
  (#among? @_left "exports" "module.exports"))
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left right: (object
  (pair key: (_) @name value: (_) @value) @definition.variable)
  (#among? @_left "exports" "module.exports"))
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left
  right: (function_expression name: (_) @name) @value
  (#among? @_left "exports" "module.exports")) @definition.function
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left
  right: (class name: (_) @name) @value (#among? @_left "exports" "module.exports")) @definition.class
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @name
  right: [(function_expression !name) (generator_function !name) (arrow_function)] @value
  (#among? @name "exports" "module.exports")) @definition.function
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @name
  right: (class !name) @value (#among? @name "exports" "module.exports")) @definition.class
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @name
  right: (_) @value (#among? @name "exports" "module.exports")) @definition.variable
(assignment_expression left: (member_expression object: [(identifier) (member_expression object: (identifier))] @_left
    property: (_) @name)
  right: [(function_expression) (generator_function) (arrow_function)] @value
  (#among? @_left "exports" "module.exports")) @definition.function
(assignment_expression left: (member_expression object: [(identifier) (member_expression object: (identifier))] @_left
    property: (_) @name)
  right: (class) @value (#among? @_left "exports" "module.exports")) @definition.class
((assignment_expression left: (member_expression object: [(identifier) (member_expression object: (identifier))] @_left
    property: (_) @name) right: (identifier) @_same) @ignored
  (#among? @_left "exports" "module.exports") (#among? @name @_same))
((assignment_expression left: (member_expression object: [(identifier) (member_expression object: (identifier))] @_left
    property: (_) @name) right: (_) @value) @definition.variable
  (#among? @_left "exports" "module.exports"))
(expression_statement [
  (assignment_expression left: (member_expression object: (_) @owner property: (_) @name)
    right: [(function_expression) (generator_function) (arrow_function)] @value) @definition.method
  (assignment_expression right: (assignment_expression left: (member_expression object: (_) @owner property: (_) @name)
    right: [(function_expression) (generator_function) (arrow_function)] @value)) @definition.method]
  (#not-among? @owner "module"))
((expression_statement (call_expression arguments: (arguments . (identifier) @owner
  (function_expression name: (_) @name) @value @definition.method .))) (#set! owned ""))

; Members.
((method_definition ["get" "set"] name: (_) @name body: (_) @body) @definition.property (#set! member ""))
((object (method_definition name: (_) @name) @definition.method) (#among? @name "setup") (#set! member "") (#set! open ""))
((method_definition name: (_) @name) @definition.method (#set! member ""))
((method_signature name: (_) @name) @definition.method (#set! member ""))
((abstract_method_signature name: (_) @name) @definition.method (#set! member ""))
((public_field_definition name: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @value)
  @definition.method (#set! member ""))
((public_field_definition name: (_) @name) @definition.field (#set! member ""))
((property_signature name: (_) @name) @definition.field (#set! member ""))
(enum_assignment name: (_) @name) @definition.case
(enum_body name: (_) @name @definition.case)
((object (pair key: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @value)
  @definition.method) (#set! member ""))
((object (pair key: (_) @name
  value: [(object) (array) (identifier) (member_expression) (call_expression) (as_expression)]) @definition.property)
  (#among? @name "props" "emits" "components" "mixins") (#set! member ""))
((object (pair key: (_) @name value: (object [
  (method_definition)
  (pair value: [(function_expression) (generator_function) (arrow_function)])
  (pair value: (object [(method_definition) (pair value: [(function_expression) (generator_function) (arrow_function)])]))]))
  @definition.property) (#set! signature "{name}") (#set! member "") (#set! open ""))

; Variables.
(variable_declarator name: (identifier) @name value: [
  (function_expression) @value (generator_function) @value (arrow_function) @value
  (parenthesized_expression [(function_expression) (arrow_function)] @value)
  (as_expression [(function_expression) @value (arrow_function) @value (parenthesized_expression [(function_expression) (arrow_function)] @value)])
  (satisfies_expression [(function_expression) @value (arrow_function) @value (parenthesized_expression [(function_expression) (arrow_function)] @value)])
  (binary_expression "&&" right: [(function_expression) (arrow_function)] @value)
  (assignment_expression right: [(function_expression) @value (arrow_function) @value (assignment_expression right: (function_expression) @value)])]) @definition.function @part
(variable_declarator name: (identifier) @name value: [
  (class) @value (assignment_expression right: (class) @value)]) @definition.class @part
((variable_declarator name: (identifier) @name) @definition.variable @part (#set! open ""))
((variable_declarator name: (_ [
  (identifier) @name
  (shorthand_property_identifier_pattern) @name
  (_ . [(identifier) (shorthand_property_identifier_pattern)] @name)
  (pair_pattern value: (identifier) @name)
  (pair_pattern value: (_ [(identifier) (shorthand_property_identifier_pattern)] @name))]) @head) @definition.variable @part
  (#set! signature "{text} = …"))
(labeled_statement body: (expression_statement (assignment_expression left: (identifier) @name))) @definition.variable

; Functions run at once, and those given to them.
([
  (call_expression function: (parenthesized_expression
    [(function_expression "async"? @word body: (_) @name) (arrow_function "async"? @word body: (_) @name)] @definition.call))
  (call_expression function: (function_expression "async"? @word body: (_) @name) @definition.call)
  (call_expression function: (member_expression object: [
    (function_expression body: (_) @name) @definition.call
    (parenthesized_expression [(function_expression body: (_) @name) (arrow_function body: (_) @name)] @definition.call)]))
  (call_expression function: [(function_expression) (parenthesized_expression (function_expression))] arguments: (arguments [
    (function_expression body: (_) @name) @definition.call
    (parenthesized_expression (function_expression body: (_) @name) @definition.call)]))]
  (#set! outer "") (#set! name "function run at once") (#set! signature "{word} function run at once"))

; Exports.
(export_statement "export" @export) @exporting
(export_statement "=" . (identifier) @export) @exporting
(export_statement declaration: [
  (_ name: (_) @export)
  (_ (variable_declarator name: (_) @export))
  (ambient_declaration (_ name: (_) @export))
  (ambient_declaration (_ (variable_declarator name: (_) @export)))]) @exporting
(export_statement !source (export_clause (export_specifier name: (_) @export))) @exporting
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left @export
  (#among? @_left "exports" "module.exports")) @exporting
(assignment_expression left: [(identifier) (member_expression object: (identifier))] @_left
  right: [
    (identifier) @export (function_expression name: (_) @export) (class name: (_) @export)
    (object [
      (shorthand_property_identifier) @export (method_definition name: (_) @export) (pair key: (_) @export)
      (pair value: (identifier) @export)])]
  (#among? @_left "exports" "module.exports")) @exporting
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression object: (identifier))] @_left property: (_) @export)
  right: [(identifier) @export (_)]
  (#among? @_left "exports" "module.exports")) @exporting
(variable_declarator name: (identifier) @export value: (assignment_expression
  left: [(identifier) (member_expression object: (identifier)) (member_expression object: (member_expression))] @_left)
  (#seen? @_left "^(?:module\\.)?exports\\b")) @exporting

((accessibility_modifier) @hidden (#among? @hidden "private" "protected"))
(decorator) @attribute @cut

; Imports.
(import_statement source: (_) @import)
(import_require_clause source: (_) @import)
(export_statement source: (_) @import)
(call_expression function: (import) arguments: (arguments . [(string) (template_string . (string_fragment) .)] @import))
(call_expression function: (identifier) @_called arguments: (arguments . [(string) (template_string . (string_fragment) .)] @import)
  (#among? @_called "require"))
((comment) @import (#seen? @import "^///\\s*<reference\\s+(?:path|types)\\b"))
