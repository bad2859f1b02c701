(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @definition.enum
(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration name: (_) @name) @definition.class
(object_declaration name: (_) @name) @definition.object
(companion_object (identifier) @name) @definition.object
(companion_object "companion" @name (identifier)) @ignored
((companion_object "companion" @name) @definition.object (#set! name "Companion"))
(class_parameter ["val" "var"] . (identifier) @name) @definition.property
((function_declaration name: (_) @name) @definition.function (#among? @name "main") (#set! entry "fun main"))
(function_declaration name: (_) @name) @definition.function
((secondary_constructor "constructor" @name) @definition.method (#set! name "constructor"))
(property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @definition.constant
(property_declaration (variable_declaration (identifier) @name)) @definition.property
(property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.property
(enum_entry (identifier) @name) @definition.case
(type_alias type: (identifier) @name) @definition.type

[(anonymous_initializer) (lambda_literal)] @local
(enum_entry (class_body) @local)
((visibility_modifier) @hidden (#among? @hidden "private" "protected"))
((annotation) @annotation (#seen? @annotation "^@(?:\\[|Suppress|JvmStatic|JvmField|JvmOverloads|JvmName|Throws|Deprecated)\\b|.{61}"))
(import) @import
