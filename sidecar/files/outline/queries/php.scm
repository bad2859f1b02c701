(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(function_definition name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(const_declaration (const_element . (name) @name) @part) @definition.constant
(property_declaration (property_element name: (_) @name) @part) @definition.property
(enum_case name: (_) @name) @definition.case
(namespace_definition name: (_) @name body: (_) @body) @definition.module
((expression_statement (function_call_expression function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)]) . (argument) @tail)))
  @definition.constant
  (#among? @_define "define") (#set! signature "define('{name}', {tail})"))

(anonymous_class) @local
(attribute_list) @annotation
((visibility_modifier) @hidden (#among? @hidden "private" "protected"))
(namespace_use_declaration (namespace_use_clause . (_) @import))
(namespace_use_declaration (namespace_name) @import body: (namespace_use_group (namespace_use_clause . (_) @import)))
(_ ["include" "include_once" "require" "require_once"] [
  (string) @import
  (encapsed_string) @import
  (parenthesized_expression [(string) (encapsed_string)] @import)])
((_ ["include" "include_once" "require" "require_once"] [
  (binary_expression left: (_) @_here right: [(string) (encapsed_string)] @import)
  (parenthesized_expression (binary_expression left: (_) @_here right: [(string) (encapsed_string)] @import))])
  (#seen? @_here "^(?:__DIR__|dirname\\(\\s*__FILE__\\s*\\))$") (#seen? @import "^./") (#set! before "."))
