((type_spec name: (_) @name type: (struct_type "struct" @head)) @definition.struct (#set! signature "type {text}"))
((type_spec name: (_) @name type: (interface_type "interface" @head)) @definition.interface (#set! signature "type {text}"))
((type_spec name: (_) @name) @definition.type (#set! signature "type {text}"))
((type_alias name: (_) @name) @definition.type (#set! signature "type {text}"))
((field_declaration name: (_) @name type: (_) @tail) @definition.field (#set! signature "{name} {tail}"))
(field_declaration !name type: [
  (type_identifier) @name
  (qualified_type name: (_) @name)
  (generic_type type: [(type_identifier) @name (qualified_type name: (_) @name)])]) @definition.field
(method_elem name: (_) @name) @definition.method
(interface_type (type_elem . [
  (type_identifier) @name
  (qualified_type name: (_) @name)
  (generic_type type: [(type_identifier) @name (qualified_type name: (_) @name)])] .) @definition.field)
(function_declaration name: (_) @name) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner
  (generic_type type: (_) @owner)
  (pointer_type [(type_identifier) @owner (generic_type type: (_) @owner)])])) name: (_) @name) @definition.method
(var_spec name: (identifier) @name (#among? @name "_")) @ignored
(const_spec name: (identifier) @name (#among? @name "_")) @ignored
; Declarations of several names are shown without values.
((const_spec . name: (identifier) @name . ",") @definition.constant (#set! signature "const {name}"))
((const_spec "," . name: (identifier) @name) @definition.constant (#set! signature "const {name}"))
((const_spec name: (identifier) @name) @definition.constant (#set! signature "const {text}"))
((var_spec . name: (identifier) @name . "," type: (_)? @tail) @definition.variable (#set! signature "var {name} {tail}"))
((var_spec "," . name: (identifier) @name type: (_)? @tail) @definition.variable (#set! signature "var {name} {tail}"))
((var_spec name: (identifier) @name) @definition.variable (#set! signature "var {text}"))

(field_declaration tag: (_) @cut)
(import_spec path: (_) @import)
((source_file (package_clause (package_identifier) @_package) (function_declaration name: (identifier) @_main))
  (#among? @_package "main") (#among? @_main "main") (#set! entry "func main"))
