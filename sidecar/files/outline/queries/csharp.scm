(namespace_declaration name: (_) @name) @definition.module
(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(record_declaration name: (_) @name) @definition.record
((method_declaration (modifier) @_static name: (_) @name) @definition.method
  (#among? @_static "static") (#among? @name "Main") (#set! entry "static Main"))
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name (constructor_initializer)? @body) @definition.method
(destructor_declaration "~" @name name: (_) @name) @definition.method
(operator_declaration "operator" @name operator: _ @name) @definition.method
(conversion_operator_declaration "operator" @name type: _ @name) @definition.method
((indexer_declaration "this" @name accessors: (_)? @body) @definition.property (#set! name "this[]"))
(property_declaration name: (_) @name accessors: (_)? @head) @definition.property
(event_declaration name: (_) @name) @definition.event
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (_) @name) @part)) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (_) @name) @part)) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name) @part)) @definition.event
(enum_member_declaration name: (_) @name) @definition.case
(delegate_declaration name: (_) @name) @definition.type
(local_function_statement name: (_) @name) @definition.function

(attribute_list) @annotation
(accessor_declaration body: (_) @cut)
((modifier) @shown (#among? @shown "public" "internal"))
((modifier) @hidden (#among? @hidden "private" "protected" "file"))
(using_directive [(identifier) (qualified_name)] @import .)
((global_statement) (#set! entry "top-level statements"))
