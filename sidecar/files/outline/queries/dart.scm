(class_definition name: (_) @name) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.mixin
(extension_declaration name: (_) @name) @definition.extension
(extension_type_declaration name: (_) @name) @definition.extension
(enum_declaration name: (_) @name) @definition.enum
(enum_constant name: (_) @name) @definition.case
(type_alias (type_identifier) @name . "=") @definition.type
(type_alias (type_identifier) @name . (type_parameters) . "=") @definition.type
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type

; The body is a sibling of the signature.
((method_signature [
    (function_signature name: (_) @name)
    (getter_signature name: (_) @name)
    (setter_signature name: (_) @name)
    (operator_signature [(binary_operator) "==" "[]" "[]=" "~"] @name)
  ]) @definition.function . (function_body)? @body)
((method_signature [
    (constructor_signature . (identifier) @name . (identifier)? @name)
    (factory_constructor_signature . (identifier) @name . (identifier)? @name)
    (redirecting_factory_constructor_signature . (const_builtin)? . (identifier) @name . (identifier)? @name)
    (constant_constructor_signature (const_builtin) . (identifier) @name . (identifier)? @name)
  ]) @definition.constructor . (function_body)? @body)
(declaration [
    (function_signature name: (_) @name)
    (getter_signature name: (_) @name)
    (setter_signature name: (_) @name)
    (operator_signature (binary_operator) @name)
  ]) @definition.function
(declaration [
    (constructor_signature . (identifier) @name . (identifier)? @name)
    (factory_constructor_signature . (identifier) @name . (identifier)? @name)
    (redirecting_factory_constructor_signature . (const_builtin)? . (identifier) @name . (identifier)? @name)
    (constant_constructor_signature (const_builtin) . (identifier) @name . (identifier)? @name)
  ]) @definition.constructor
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.constant
(program (function_signature name: (_) @name) @definition.function . (function_body)? @body)
(program (getter_signature name: (_) @name) @definition.function . (function_body)? @body)
(program (setter_signature name: (_) @name) @definition.function . (function_body)? @body)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @definition.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @definition.variable))

(import_or_export (_ (uri) @import))
(import_or_export (_ (_ (uri) @import)))
(import_or_export (_ (_ (_ (uri) @import))))
(part_directive (uri) @import)
(annotation) @attribute @cut
